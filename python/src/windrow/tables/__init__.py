# SPDX-License-Identifier: Apache-2.0
"""Tables: from the names of their stretches to the DataFrame that run() gets."""
