# SPDX-License-Identifier: Apache-2.0
"""Images per second on a real GPU: Windrow against loops written by hand, rows compared.

Needs one NVIDIA GPU, torch and torchvision: `python3 bench/gpu/run.py`, with WINDROW naming the
binary. Windrow's time runs from its first run() to its last, by its own report; a loop's from its
first image to its last.
"""

import argparse
import csv
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

import torch
from torchvision.io import write_jpeg

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 64


def make_images(folder, count):
    """Smooth noise, so that a file has the size of a photograph and not of static."""
    os.makedirs(folder)
    random = torch.Generator().manual_seed(1)
    for index in range(count):
        small = torch.rand((1, 3, 28, 28), generator=random)
        large = torch.nn.functional.interpolate(small, size=224, mode="bicubic").clamp(0, 1)
        image = (large[0] * 255).to(torch.uint8)
        write_jpeg(image, os.path.join(folder, f"{index:06}.jpg"), quality=90)


def by_hand(images, work, loaders):
    output = os.path.join(work, "rows.txt")
    command = [sys.executable, os.path.join(HERE, "by_hand.py"), images, output, str(BATCH)]
    done = subprocess.run(
        command + ([str(loaders)] if loaders else []), check=True, capture_output=True, text=True
    )
    with open(output) as rows:
        return float(done.stdout.split()[-1]), sorted(rows)


JOB = """
type: parallel
inputs: {{images: {{path: {images}}}}}
input_data: ${{{{inputs.images}}}}
outputs: {{rows: {{path: {output}}}}}
task: {{code: {code}, entry_script: classify.py, append_row_to: "${{{{outputs.rows}}}}"}}
mini_batch_size: {batch}
max_concurrency_per_instance: {workers}
gpus_per_worker: {share}
retry_settings: {{timeout: 600}}
python: {python}
"""


def windrow(images, work, workers):
    job = os.path.join(work, "job")
    output = os.path.join(work, "out")
    file = os.path.join(work, "job.yml")
    with open(file, "w") as out:
        out.write(
            JOB.format(
                images=images,
                output=output,
                code=HERE,
                batch=BATCH,
                workers=workers,
                share=1 / workers,
                python=sys.executable,
            )
        )
    command = [os.environ["WINDROW"], "run", file, "--job-dir", job]
    environment = {**os.environ, "WINDROW_HOME": os.path.join(work, "home")}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    spans = []
    with open(os.path.join(job, "logs/sys/job_report/processed_mini-batches.csv")) as report:
        for row in csv.DictReader(report):
            if row["Status"] == "RUN_DONE":
                start = datetime.datetime.fromisoformat(row["Start Time"].replace("Z", "+00:00"))
                spans.append((start.timestamp(), float(row["Elapsed Seconds"])))
    with open(os.path.join(output, "parallel_run_step.txt")) as rows:
        return max(s + e for s, e in spans) - min(s for s, _ in spans), sorted(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", help="write the figures as JSON here")
    options = parser.parse_args()
    cases = {
        "plain loop": lambda images, work: by_hand(images, work, 0),
        "windrow, 1 worker": lambda images, work: windrow(images, work, 1),
        "DataLoader, 8 loaders": lambda images, work: by_hand(images, work, 8),
        "windrow, 8 workers on the GPU": lambda images, work: windrow(images, work, 8),
    }
    rates = {name: [] for name in cases}
    reference = None
    with tempfile.TemporaryDirectory() as folder:
        images = os.path.join(folder, "images")
        make_images(images, options.images)
        for _ in range(options.repeats):
            for name, case in cases.items():
                with tempfile.TemporaryDirectory(dir=folder) as work:
                    seconds, rows = case(images, work)
                reference = reference or rows
                # Half precision may round a tie otherwise in another grouping; files must agree.
                same = sum(a == b for a, b in zip(rows, reference, strict=True))
                assert same >= 0.999 * len(reference), f"{name}: {same} of {len(reference)} rows"
                rates[name].append(options.images / seconds)
    for name, figures in rates.items():
        middle = statistics.median(figures)
        print(f"{name:32} {middle:8.0f} images/s  ({min(figures):.0f} to {max(figures):.0f})")
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"gpu": torch.cuda.get_device_name(), "rates": rates}, out, indent=1)


if __name__ == "__main__":
    main()
