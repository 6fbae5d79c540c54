# SPDX-License-Identifier: Apache-2.0
"""The rivals. One module each, run as `python -m peers.NAME REQUEST`; see protocol.py."""
