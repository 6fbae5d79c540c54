# SPDX-License-Identifier: Apache-2.0
"""Sends requests to a language model, as its batch files have them, a few at a time.

Each row is a request: custom_id, method, url, body. Each result has the shape that batch services
give: id, custom_id, response, error; those that failed go to a file of their own.
"""

import argparse
import http.client
import json
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

RETRY = {408, 429, 500, 502, 503, 504}


def init():
    global options
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="http://127.0.0.1:8000")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--tries", type=int, default=3)
    options, _ = parser.parse_known_args()


def run(mini_batch, context):
    with ThreadPoolExecutor(options.concurrency) as pool:
        answers = list(pool.map(answer, mini_batch))
    for index, one in enumerate(answers):
        if one["error"]:
            context.report_failed(index, one["error"]["message"])
    return {
        "output": [json.dumps(one) for one in answers if not one["error"]],
        "errors": [json.dumps(one) for one in answers if one["error"]],
    }


def answer(request):
    """Never raises: one bad request must not cost the others of its mini-batch."""
    response, error = None, None
    for number in range(options.tries):
        if number > 0:
            time.sleep(0.1 * 2**number)
        try:
            status, body = send(request)
        except (OSError, http.client.HTTPException, ValueError, KeyError) as problem:
            error = {"code": type(problem).__name__, "message": str(problem)}
            continue
        response = {"status_code": status, "request_id": f"req_{uuid.uuid4().hex}", "body": body}
        error = None if status < 400 else {"code": str(status), "message": str(body)}
        if status not in RETRY:
            break
    return {
        "id": f"batch_req_{uuid.uuid4().hex}",
        "custom_id": request.get("custom_id"),
        "response": response,
        "error": error,
    }


def send(request):
    server = urlsplit(options.server)
    connection = http.client.HTTPConnection(server.hostname, server.port, timeout=30)
    try:
        body = json.dumps(request["body"])
        headers = {"Content-Type": "application/json"}
        connection.request(request["method"], request["url"], body, headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()
