# SPDX-License-Identifier: Apache-2.0
"""Windrow: a folder of files in, one right file out."""
