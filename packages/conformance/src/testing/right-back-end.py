"""A right back end in Python, with its standard library only. It keeps its installations in memory.

Prints the URL of its manifest. Each line of stdin names the origin whose keys it trusts; it ends with stdin.
"""

import base64
import collections
import hashlib
import hmac
import json
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EVENTS = ["install", "uninstall", "access_token", "instance_add", "instance_remove"]
MAX_BYTES = 64 * 1024
LIMIT_SECONDS = 8
LEEWAY_SECONDS = 60
MAX_AHEAD_SECONDS = 300

trusted = {"origin": ""}
keys = {}


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
        self.message = message


class Installation:
    """What is known about one plug-in in one tenant."""

    def __init__(self):
        self.events = threading.Lock()
        self.renewals = threading.Lock()
        self.arrived = threading.Condition()
        self.ended_at = 0
        self.grant = None


installations = collections.defaultdict(Installation)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args, **kwargs):
        return None


opener = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler({}))


def send(url, method="GET", headers=None, body=None):
    """Returns status and body. Status 0: no answer came."""
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with opener.open(request, timeout=LIMIT_SECONDS) as response:
            return response.status, response.read(MAX_BYTES)
    except urllib.error.HTTPError as error:
        return error.code, b""
    except (OSError, ValueError, urllib.error.URLError):
        return 0, b""
    except Exception:  # http.client has errors of its own, such as for an answer that is cut off.
        return 0, b""


def decode(part):
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        raise Refused(400, "It is no JWT")


def read_object(text, refusal):
    try:
        value = json.loads(text)
    except ValueError:
        raise Refused(400, refusal)
    if not isinstance(value, dict):
        raise Refused(400, refusal)
    return value


# DER of DigestInfo before the digest (RFC 8017 section 9.2).
ALGORITHMS = {
    "RS256": (hashlib.sha256, bytes.fromhex("3031300d060960864801650304020105000420")),
    "RS384": (hashlib.sha384, bytes.fromhex("3041300d060960864801650304020205000430")),
    "RS512": (hashlib.sha512, bytes.fromhex("3051300d060960864801650304020305000440")),
}


def is_signed(signed, signature, algorithm, key):
    """PKCS #1 v1.5."""
    create, prefix = ALGORITHMS[algorithm]
    n = int.from_bytes(decode(key["n"]), "big")
    e = int.from_bytes(decode(key["e"]), "big")
    size = (n.bit_length() + 7) // 8
    info = prefix + create(signed.encode()).digest()
    expected = b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info
    if len(signature) != size:
        return False
    opened = pow(int.from_bytes(signature, "big"), e, n).to_bytes(size, "big")
    return hmac.compare_digest(opened, expected)


def load_key(jku):
    url = urllib.parse.urlsplit(jku if isinstance(jku, str) else "")
    origin = f"{url.scheme}://{url.netloc}"
    is_plain = url.query == "" and url.fragment == ""
    if origin != trusted["origin"] or not url.path.startswith("/certificates/") or not is_plain:
        raise Refused(401, "Unknown key")
    if jku not in keys:
        status, body = send(jku)
        if status != 200:
            raise Refused(503, "The key cannot be loaded")
        keys[jku] = json.loads(body)["key"]
    return keys[jku]


def verify(jwt):
    parts = jwt.split(".")
    if len(parts) != 3:
        raise Refused(400, "It is no JWT")
    header = read_object(decode(parts[0]), "It is no JWT")
    claims = read_object(decode(parts[1]), "It is no JWT")
    if header.get("alg") not in ALGORITHMS or "crit" in header:
        raise Refused(401, "The header is not allowed")
    key = load_key(header.get("jku"))
    if not is_signed(f"{parts[0]}.{parts[1]}", decode(parts[2]), header["alg"], key):
        raise Refused(401, "The signature is wrong")
    now = time.time()
    if not isinstance(claims.get("exp"), (int, float)) or claims["exp"] < now - LEEWAY_SECONDS:
        raise Refused(401, "It has expired")
    if not isinstance(claims.get("iat"), (int, float)) or claims["iat"] > now + MAX_AHEAD_SECONDS:
        raise Refused(401, "It is of the future")
    return claims


def accept_event(event, claims):
    if claims.get("sub") != event:
        raise Refused(401, "It is another event")
    installation = installations[(claims.get("iss"), claims.get("tenantId"), claims.get("pluginId"))]
    with installation.events:
        if event == "install":
            installation.ended_at = 0
        if event == "uninstall":
            installation.ended_at = claims["iat"]
            installation.grant = None
        if event == "access_token":
            accept_access(installation, claims)


def accept_access(installation, claims):
    if claims["iat"] <= installation.ended_at:
        raise Refused(410, "It was uninstalled")
    client = claims["client"]
    known = installation.grant
    if known and known["code"] == client["authorization_code"]:
        return
    base = claims["base_url"].rstrip("/")
    trigger = client["trigger_event"]
    secret = f"{client['client_id']}:{client['client_secret']}".encode()
    grant = {
        "tenant": claims["tenantId"],
        "code": client["authorization_code"],
        "base": base,
        "token_url": join(base, client["token_endpoint_url"]),
        "trigger_url": join(base, trigger.get("url") or trigger["uri"]),
        "trigger_body": trigger["body"],
        "basic": base64.b64encode(secret).decode(),
        "refresh_token": None,
    }
    request_tokens(grant, {"grant_type": "authorization_code", "code": grant["code"]})
    with installation.arrived:
        installation.grant = grant
        installation.arrived.notify_all()


def join(base, path):
    return path if path.startswith(("http://", "https://")) else f"{base}/{path.lstrip('/')}"


def request_tokens(grant, parameters):
    url = f"{grant['token_url']}?{urllib.parse.urlencode(parameters)}"
    headers = {"Authorization": f"Basic {grant['basic']}", "Accept": "application/json"}
    status, body = send(url, "POST", headers, b"")
    if status != 200:
        raise Refused(status if status in (400, 503) else 502, "No tokens")
    try:
        tokens = json.loads(body)
        is_right = tokens["token_type"].lower() == "bearer" and tokens["tenant"] == grant["tenant"]
        access_token = tokens["access_token"]
    except (ValueError, KeyError, AttributeError, TypeError):
        raise Refused(502, "No access token")
    if not is_right or not access_token:
        raise Refused(502, "No access token of this tenant")
    grant["access_token"] = access_token
    grant["refresh_token"] = tokens.get("refresh_token") or grant["refresh_token"]


def renew(installation, refused):
    """One refresh, and one trigger, for all that wait for the lock."""
    with installation.renewals:
        grant = installation.grant
        if not grant or grant["access_token"] != refused:
            return
        token = grant["refresh_token"]
        try:
            if token:
                request_tokens(grant, {"grant_type": "refresh_token", "refresh_token": token})
                return
        except Refused as refusal:
            if refusal.status == 503:
                raise
        if installation.grant is not grant:
            return
        trigger(installation, grant)


def trigger(installation, grant):
    headers = {"Content-Type": "application/json;charset=UTF-8"}
    status, _ = send(grant["trigger_url"], "POST", headers, grant["trigger_body"].encode())
    if not 200 <= status < 300:
        raise Refused(503, "The trigger was refused")
    with installation.arrived:
        has_come = lambda: installation.grant is not grant
        if not installation.arrived.wait_for(has_come, timeout=LIMIT_SECONDS):
            raise Refused(503, "No event came")


def notify(body):
    claims = verify(str(body.get("initJwt")))
    if claims.get("sub") != "init":
        raise Refused(401, "It is no page")
    installation = installations[(claims["iss"], claims["ctx.tenantId"], body.get("pluginId"))]
    status, used = call_platform(installation, body)
    if status == 401:
        renew(installation, used)
        status, used = call_platform(installation, body)
    if not 200 <= status < 300:
        raise Refused(502, f"The platform answered {status}")


def call_platform(installation, body):
    grant = installation.grant
    if not grant:
        raise Refused(404, "Not installed")
    used = grant["access_token"]
    names = [urllib.parse.quote(str(body.get(name)), "") for name in ("pluginId", "instanceId")]
    url = f"{grant['base']}/api/plugins/{names[0]}/instances/{names[1]}/notifications"
    headers = {"Authorization": f"Bearer {used}", "Content-Type": "application/json"}
    message = {name: body.get(name) for name in ("recipientId", "message")}
    content = json.dumps({"category": "BIRTHDAY", **message}).encode()
    status, _ = send(url, "POST", headers, content)
    return status, used


def manifest_of(origin):
    name = {"en": "Plain", "de": "Schlicht"}
    url = f"{origin}/events/"
    return {
        "manifestVersion": "2.5.0",
        "pluginVersion": "1.0.0",
        "name": name,
        "description": name,
        "lifecycle": {"url": url, "events": [event for event in EVENTS if event != "access_token"]},
        "apiAccess": {
            "url": url,
            "client": {"mode": ["authorization_code"], "scope": ["plugin:notify"]},
        },
        "entryPoints": [
            {
                "id": "5b7d1a90-2c64-4f0e-9a3d-0c1e2f3a4b5c",
                "url": f"{origin}/page",
                "name": name,
                "description": name,
            }
        ],
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/manifest.json":
            return self.answer_json(200, manifest_of(self.server.origin))
        if path == "/page":
            policy = f"frame-ancestors {trusted['origin']}"
            headers = {"Content-Type": "text/html", "Content-Security-Policy": policy}
            return self.answer(200, headers, b"<!doctype html><title>Plain</title>")
        return self.answer_json(404, {"code": 404, "message": "Not found"})

    def do_POST(self):
        try:
            status, body = self.route()
        except Refused as refusal:
            status, body = refusal.status, {"code": refusal.status, "message": refusal.message}
        except Exception:
            status, body = 500, {"code": 500, "message": "A defect"}
        self.answer_json(status, body)

    def route(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > MAX_BYTES:
            self.close_connection = True
            raise Refused(413, "The body is too large")
        text = self.rfile.read(length).decode("utf-8", "replace")
        if self.path == "/api/notify":
            notify(read_object(text, "It is no JSON"))
            return 200, {}
        event = self.path.removeprefix("/events/")
        if event not in EVENTS or event == self.path:
            raise Refused(404, "Not found")
        accept_event(event, verify(self.token_of(text)))
        return 201, {}

    def token_of(self, text):
        if "json" in self.headers.get("Content-Type", ""):
            tokens = [read_object(text, "It is no JSON").get("token")]
        else:
            tokens = urllib.parse.parse_qs(text).get("token", [])
        if len(tokens) != 1 or not isinstance(tokens[0], str):
            raise Refused(400, "There is no token, or more than one")
        return tokens[0]

    def answer_json(self, status, body):
        self.answer(status, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def answer(self, status, headers, content):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that has gone is no error."""


server = Server(("127.0.0.1", 0), Handler)
server.origin = f"http://localhost:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"{server.origin}/manifest.json", flush=True)
for line in sys.stdin:
    trusted["origin"] = line.strip()
    print("trusted", flush=True)
