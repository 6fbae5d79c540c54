# SPDX-License-Identifier: Apache-2.0
"""What every peer does: take a request, do the same work as we do, print one line of JSON.

A peer module gives `main()` a context manager `start(setting, workers)` whose value has
  map(function, mini_batches)  the text of each mini-batch, in any order, any number in flight
  one(function, mini_batch)    the text of one mini-batch, submitted and waited for
The request, a JSON object in argv[1], has `mode`:
  map      all mini-batches of a list through a function, rows to one file; pool up and paths in
           memory before the clock starts, file closed when it stops
  one      one mini-batch at a time, the median of the round trips
  first    the moment of the first call in a fresh process (CLOCK_MONOTONIC nanoseconds)
"""

import json
import os
import statistics
import sys
import time

from peers import calls


def main(start):
    request = json.loads(sys.argv[1])
    mode = {"map": map_all, "one": one_by_one, "first": first_call}[request["mode"]]
    print(json.dumps(mode(start, request)), flush=True)


def map_all(start, request):
    mini_batches = read_batches(request)
    function = getattr(calls, request["function"])
    warm = getattr(calls, request.get("warm", "ready"))
    warm([])  # for those that fork when they are given the work
    with start(request["setting"], request["workers"]) as pool:
        warm_up(pool, request["workers"], warm)
        begin = time.monotonic()
        with open(request["rows"], "w", buffering=1 << 20, errors="surrogateescape") as rows:
            for text in pool.map(function, mini_batches):
                rows.write(text)
        seconds = time.monotonic() - begin
        # Pools that lost a worker may wait for it for ever when they are closed.
        answer = {"seconds": seconds, "batches": len(mini_batches)}
        print(json.dumps(answer), flush=True)
    return answer


def one_by_one(start, request):
    mini_batches = read_batches(request)
    trips = []
    with start(request["setting"], 1) as pool:
        warm_up(pool, 1)
        for mini_batch in mini_batches:
            begin = time.monotonic_ns()
            pool.one(calls.names, mini_batch)
            trips.append(time.monotonic_ns() - begin)
    return {"round_trip_us": statistics.median(trips) / 1000, "batches": len(trips)}


def first_call(start, request):
    with start(request["setting"], request["workers"]) as pool:
        return {"first_ns": int(pool.one(calls.moment, []))}


def warm_up(pool, workers, call=calls.ready):
    for _ in pool.map(call, [[]] * (4 * workers)):
        pass


def read_batches(request):
    with open(request["list"], "rb") as file:
        paths = os.fsdecode(file.read()).split("\0")
    size = request["batch_size"]
    return [paths[at : at + size] for at in range(0, size * request["batches"], size)]
