# SPDX-License-Identifier: Apache-2.0
"""What entry scripts import: `from azureml_user.parallel_run import EntryScript`."""
