# SPDX-License-Identifier: Apache-2.0
"""What a script says about single items, and how its rows are to look."""

from __future__ import annotations

import json

from workbench import Windrow, numbered

REPORTS = """
import os

def run(mini_batch, context):
    assert context.dataset.to_path() == mini_batch
    rows = []
    for place, path in enumerate(mini_batch):
        name = os.path.basename(path)
        if name == "f0003":
            context.report_failed(place, "blurred: \\u00fc")
        elif name != "f0007":
            rows.append(name)
    return rows
"""


# C181
def test_items_that_the_script_reports_are_failed_items_with_its_reason(windrow: Windrow) -> None:
    job = windrow.run(REPORTS, files=9, size=3)
    assert job.exit == 0, job
    assert job.rows() == [name for name in numbered(9) if name not in ("f0003", "f0007")]
    reported, missing = job.failed_items()
    assert reported["item"].endswith("/f0003")
    assert (reported["mini_batch"], reported["error_type"]) == (1, "Reported")
    assert reported["error_message"] == "blurred: \u00fc"
    assert (missing["mini_batch"], missing["item"], missing["missing"]) == (2, None, 1)
    assert [(line["Succeeded"], line["Failed"]) for line in job.attempts()] == [
        ("3", "0"),
        ("2", "1"),
        ("2", "1"),
    ]
    assert "7 succeeded, 2 failed" in job.text


# C181
def test_reported_items_count_against_the_threshold_and_are_not_tried_again(
    windrow: Windrow,
) -> None:
    job = windrow.run(REPORTS, files=9, size=3, threshold=1)
    assert job.exit == 1
    assert len(job.attempts(1)) == 1


# C183
def test_a_settings_file_beside_the_script_says_how_rows_look(windrow: Windrow) -> None:
    settings = {
        "append_row": {"pandas.DataFrame.to_csv": {"sep": ";", "mode": "w"}, "colour": "red"},
        "summary": {},
    }
    path = windrow.folder / "parallel_run_step.settings.json"
    path.write_text(json.dumps(settings))
    script = """
import os, pandas
def run(mini_batch):
    return pandas.DataFrame([(os.path.basename(path), 1.5) for path in mini_batch])
"""
    job = windrow.run(script, files=3, workers=1)
    assert job.exit == 0, job
    assert job.rows() == [f"{name};1.5" for name in numbered(3)]
    for key in ("'append_row.colour' is ignored", "'summary' is ignored", "mode is ignored"):
        assert key in job.text
    path.write_text('{"append_row": {"format": "parquet"}}')
    refused = windrow.run(files=3, output="out2")
    assert refused.exit == 2
    assert 'append_row.format must be "csv" or "jsonl"' in refused.text
    path.write_text("{")
    assert windrow.run(files=3, output="out2").exit == 2
