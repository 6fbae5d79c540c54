# SPDX-License-Identifier: Apache-2.0
"""The benchmark suite: one module per benchmark, and what they share. Standard library only."""
