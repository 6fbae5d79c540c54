# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a language model: answers every chat with its last words, in capitals.

It is busy now and then (503), and refuses requests without messages (400).
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

seen = set()


class StandIn(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        text = self.rfile.read(length)
        body = json.loads(text)
        if self.path != "/v1/chat/completions":
            return self.reply(404, {"error": {"message": f"there is no {self.path}"}})
        if not body.get("messages"):
            return self.reply(400, {"error": {"message": "messages is missing"}})
        if len(text) % 7 == 0 and text not in seen:
            seen.add(text)
            return self.reply(503, {"error": {"message": "busy, try again"}})
        said = body["messages"][-1]["content"].upper()
        choice = {"index": 0, "message": {"role": "assistant", "content": said}}
        return self.reply(200, {"object": "chat.completion", "choices": [choice]})

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), StandIn)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
