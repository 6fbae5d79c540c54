# SPDX-License-Identifier: Apache-2.0
"""Writes a batch file: make_requests.py COUNT > requests.jsonl. Every 50th request is bad."""

import json
import sys

for number in range(int(sys.argv[1])):
    messages = [{"role": "user", "content": f"say {number}"}]
    body = {"model": "stand-in", "messages": [] if number % 50 == 49 else messages}
    request = {
        "custom_id": f"request-{number}",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": body,
    }
    print(json.dumps(request))
