# SPDX-License-Identifier: Apache-2.0
"""The worker process that runs a user's entry script.

It lives in the user's environment, so it uses the standard library alone, and as little of it as
possible before the script is loaded: each module imported here is time before the first run().
"""
