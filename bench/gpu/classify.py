# SPDX-License-Identifier: Apache-2.0
"""The work of the GPU measurement: decode JPEG files, classify them, one row per image.

An entry script for Windrow, and a module for loops that are written by hand.
"""

import os

import torch
import torchvision
from torchvision.io import ImageReadMode, decode_jpeg, read_file

SIZE = 224

_model = None


def init():
    global _model
    torch.manual_seed(7)  # weights are random, and the same in every process
    torch.set_num_threads(1)
    _model = torchvision.models.resnet50(weights=None).eval().half().cuda()
    _model(torch.zeros(1, 3, SIZE, SIZE, dtype=torch.half, device="cuda"))
    torch.cuda.synchronize()


def decode(path):
    return decode_jpeg(read_file(path), mode=ImageReadMode.RGB)


@torch.inference_mode()
def classify(images):
    batch = torch.stack(images).cuda(non_blocking=True)
    batch = batch.half().div_(255)
    return _model(batch).argmax(1).tolist()


def run(mini_batch):
    labels = classify([decode(path) for path in mini_batch])
    return [f"{os.path.basename(p)}: {label}" for p, label in zip(mini_batch, labels, strict=True)]
