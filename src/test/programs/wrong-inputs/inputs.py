"""The wrong inputs: what each is, and words that what kubemirror says about it has."""

import os
import subprocess

STARTS = []
NOWHERE = "--kubemirror.upstream.server=http://127.0.0.1:1"
PODS = "--kubemirror.resources=pods"
PORTS = ["--server.port=0", "--management.server.port=0"]
FILE = "config/application.yaml"


def start(name, says, arguments=(), files=None, environment=None, serves=0.0, waits=False, lines=1):
    """A start. It is refused, or serves for some seconds with a warning, or waits with one."""
    STARTS.append({"name": name, "says": [says] if isinstance(says, str) else says, "arguments": list(arguments),
                   "files": files or {}, "environment": environment or {}, "serves": serves, "waits": waits, "lines": lines})


def file(name, text, says, **more):
    """A configuration file."""
    start(name, says, [NOWHERE, *PORTS], {FILE: text}, **more)


def kubemirror(name, text, line, says=()):
    """A member of the group kubemirror of a configuration file, which has a mistake in this line of it."""
    file(name, "kubemirror:\n  resources: [pods]\n  " + text.replace("\n", "\n  ") + "\n",
         [f"{FILE}, line {line + 2}", *([says] if isinstance(says, str) else says)])


def resource(name, text, says):
    """A property of a resource."""
    file(name, "kubemirror:\n  resources:\n    - resource: pods\n      " + text + "\n", [f"{FILE}, line 4", says])


def argument(name, text, says, *more, **options):
    """An argument."""
    start(name, says, [PODS, NOWHERE, *[port for port in PORTS if port.split("=")[0] not in text], text, *more], **options)


def variable(name, variable, value, says, **more):
    """An environment variable."""
    start(name, says, [*([] if "RESOURCES" in variable else [PODS]), NOWHERE, *PORTS],
          environment={variable: value}, **more)


def kubeconfig(name, says, server="https://127.0.0.1:1", cluster="", user="token: hush-hush", text=None, files=None, **more):
    """A kubeconfig."""
    usual = f"""apiVersion: v1
kind: Config
current-context: prod
contexts: [{{name: prod, context: {{cluster: main, user: me}}}}]
clusters: [{{name: main, cluster: {{server: "{server}"{cluster and ", " + cluster}}}}}]
users: [{{name: me, user: {{{user}}}}}]
"""
    start("kubeconfig: " + name, says, [PODS, *PORTS, "--kubemirror.upstream.kubeconfig={dir}/kubeconfig"],
          {"kubeconfig": usual if text is None else text} | (files or {}), **more)


def prepare(shared):
    """Creates certificates and keys, once for all inputs."""
    for name in ("a", "b", "expired"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=" + name, "-keyout",
                        f"{shared}/{name}.key", "-out", f"{shared}/{name}.crt", "-days", "30"], check=True, capture_output=True)
        if name == "expired":
            subprocess.run(["openssl", "x509", "-in", f"{shared}/{name}.crt", "-signkey", f"{shared}/{name}.key", "-out",
                            f"{shared}/{name}.crt", "-days", "-1"], check=True, capture_output=True)
        os.chmod(f"{shared}/{name}.key", 0o644)
    subprocess.run(["openssl", "pkcs12", "-export", "-in", f"{shared}/a.crt", "-inkey", f"{shared}/a.key", "-out",
                    f"{shared}/a.p12", "-passout", "pass:hush-hush", "-name", "web"], check=True)
    os.chmod(f"{shared}/a.p12", 0o644)
    for name, content in (("rubbish.pem", "rubbish\n"), ("empty", ""), ("tokens", "hush-hush\n")):
        with open(os.path.join(shared, name), "w", encoding="utf-8") as out:
            out.write(content)


# Configuration files: not YAML, or not in this encoding.

file("template of Helm", "kubemirror:\n  resources: {{ .Values.resources }}\n", f"{FILE}, line 2")
file("template in a list", "kubemirror:\n  resources:\n    {{- range .Values.all }}\n    - {{ . }}\n", f"{FILE}, line 3")
file("tab", "kubemirror:\n\tresources: [pods]\n", f"{FILE}, line 2")
file("list at the top", "- resource: pods\n", FILE)
file("text at the top", "pods\n", FILE)
file("number at the top", "42\n", FILE)
file("JSON that is cut off", '{"kubemirror": {"resources": ["pods"]', FILE)
file("quote that is not closed", "kubemirror:\n  resources: ['pods]\n", FILE)
file("list that is not closed", "kubemirror:\n  resources: [pods\n  history: {span: 5m}\n", FILE)
file("indentation", "kubemirror:\n  resources:\n    - resource: pods\n     page-size: 5\n", f"{FILE}, line 4")
file("two colons", "kubemirror:\n  resources: pods: x\n", f"{FILE}, line 2")
file("duplicate key", "kubemirror:\n  resources: [pods]\n  allow-secrets: true\n  allow-secrets: false\n", f"{FILE}, line 4")
file("duplicate group", "kubemirror:\n  resources: [pods]\nkubemirror:\n  history.span: 5m\n", f"{FILE}, line 3")
file("alias of itself", "kubemirror:\n  resources: &all [pods, *all]\n", [FILE, "aliases"])
file("alias of nothing", "kubemirror:\n  resources: *all\n", f"{FILE}, line 2")
file("tag", "kubemirror:\n  resources: !env PODS\n", f"{FILE}, line 2")
file("tag of a class", "kubemirror:\n  resources: !!java.net.URL [http://127.0.0.1/]\n", f"{FILE}, line 2")
file("Latin-1", "kubemirror:\n  resources: [pods] # für alle\n".encode("latin-1"), [FILE, "UTF-8"])
file("UTF-16", "kubemirror:\n  resources: [pods]\n  histroy: 1\n".encode("utf-16"), "histroy")
file("character NUL", b"kubemirror:\n  resources: [pods\x00]\n", FILE)
file("compressed", bytes.fromhex("1f8b0800000000000003cb2e4dca4dcd"), [FILE, "UTF-8"])
file("too large", "kubemirror:\n  resources: [pods]\n" + "# comment\n" * 120000, FILE)
file("nested too deep", "a: " + "[" * 5000 + "]" * 5000 + "\n", FILE)
start("directory in the place of the file", [FILE, "is a directory"], [NOWHERE, *PORTS], {FILE + "/x": ""})
start("malformed escape in a properties file", "config/application.properties", [NOWHERE, *PORTS],
      {"config/application.properties": "kubemirror.resources=pods\nkubemirror.resources=\\u12\n"})
file("import of a missing file", "kubemirror:\n  resources: [pods]\nspring.config.import: file:/no/x.yaml\n", "/no/x.yaml")
file("import of a missing tree", "kubemirror:\n  resources: [pods]\nspring.config.import: configtree:/no/\n", "/no")
file("import of an unknown kind", "kubemirror:\n  resources: [pods]\nspring.config.import: vault://hush\n", ["vault:", "spring.config.import"])
start("profile in the file of a profile", ["application-default.yaml, line 1", "spring.profiles.active"], [PODS, NOWHERE, *PORTS],
      {"config/application-default.yaml": "spring.profiles.active: x\n"})

# Names.

file("no resources", "kubemirror:\n  history.span: 5m\n", ["kubemirror.resources", "set at least"])
file("empty file", "", "kubemirror.resources")
file("name of the group", "kubmirror:\n  resources: [pods]\n", ["kubmirror", f"{FILE}, line 2", "kubemirror"])
file("name of the group of the server", "kubemirror:\n  resources: [pods]\nservr:\n  port: 1\n", [f"{FILE}, line 4", "server.port"], serves=1)
file("name of a property", "kubemirror:\n  resuorces: [pods]\n", f"{FILE}, line 2")
kubemirror("name of a group", "histroy: {span: 5m}", 1, "kubemirror.history")
kubemirror("name of another group", "defaults.ttl: 5m", 1, "kubemirror.defaults.ttl")
kubemirror("property in another group", "page-size: 5", 1, "kubemirror.page-size")
resource("name in a resource", "lable-selector: app=web", "label-selector")
resource("name in the history of a resource", "history: {max-event: 9}", "max-events")
file("name of a property of the server", "kubemirror:\n  resources: [pods]\nserver:\n  adress: 127.0.0.1\n", [f"{FILE}, line 4", "server.address"], serves=1)
file("name of a property of management", "kubemirror:\n  resources: [pods]\nmanagement:\n  server:\n    prot: 8002\n", [f"{FILE}, line 5", "management.server.port"], serves=1)

# Kinds of values.

kubemirror("duration in the place of a group", "history: 5m", 1, "kubemirror.history")
kubemirror("list in the place of a group", "history: [5m]", 1, "kubemirror.history")
kubemirror("text in the place of upstream", "upstream: https://me:hush-hush@host", 1, "kubemirror.upstream")
kubemirror("group in the place of a duration", "history: {span: {minutes: 5}}", 1, "kubemirror.history.span")
kubemirror("list in the place of a duration", "history.span: [5m, 6m]", 1, "kubemirror.history.span")
file("text in the place of kubemirror", "kubemirror: pods\n", [f"{FILE}, line 1", "kubemirror"])
file("list in the place of kubemirror", "kubemirror: [pods]\n", [f"{FILE}, line 1", "kubemirror"])
file("map in the place of resources", "kubemirror:\n  resources:\n    resource: pods\n", f"{FILE}, line 3")
file("number as resources", "kubemirror:\n  resources: 5\n", f"{FILE}, line 2")
file("empty resources", "kubemirror:\n  resources: []\n", "kubemirror.resources")
file("list without a value", "kubemirror:\n  resources:\n", "kubemirror.resources")
file("resource without a value", "kubemirror:\n  resources:\n    -\n", "kubemirror.resources")
file("empty resource", "kubemirror:\n  resources: [{}]\n", "kubemirror.resources")
file("list in a list", "kubemirror:\n  resources: [[pods]]\n", f"{FILE}, line 2")
file("no space after the colon", "kubemirror:\n  resources:\n    - resource:pods\n", f"{FILE}, line 3")
file("gap in the list", "kubemirror:\n  resources[1]: pods\n", f"{FILE}, line 2")
file("resources[x]", "kubemirror:\n  resources[x]: pods\n", f"{FILE}, line 2")
resource("map as selector", "label-selector: {app: web}", "label-selector")
resource("map as namespaces", "namespaces: {default: }", "namespaces")
resource("number in the place of true", "metadata-only: 2", "metadata-only")
resource("word in the place of true", "metadata-only: maybe", "true or false")
kubemirror("duration with a fraction", "history.span: 1.5m", 1, "75s")
kubemirror("duration in words", "history.span: 5 minutes", 1, "75s")
kubemirror("negative duration", "history.span: -5s", 1, "negative")
kubemirror("duration of ages", "history.span: 99999999999999d", 1, "kubemirror.history.span")
kubemirror("duration of a billion days", "history.span: 1000000000d", 1, "kubemirror.history.span")
kubemirror("empty duration", "history.span: ''", 1, "kubemirror.history.span")
kubemirror("size in the unit of Kubernetes", "history.max-bytes: 64Mi", 1, "64MB")
kubemirror("size with a fraction", "history.max-bytes: 1.5GB", 1, "64MB")
kubemirror("size without a unit", "history.max-bytes: 64", 1, "64MB")
kubemirror("negative size", "history.max-bytes: -64MB", 1, "kubemirror.history.max-bytes")
kubemirror("huge size", "history.max-bytes: 99999999999TB", 1, "kubemirror.history.max-bytes")
kubemirror("number with a fraction", "history.max-events: 100000.5", 1, "whole number")
kubemirror("octal number", "history.max-events: 0102400", 1, "leading zero")
kubemirror("number as time", "history.max-events: 12:30:45", 1, "colon")
kubemirror("number beyond int", "history.max-events: 99999999999", 1, "whole number")
kubemirror("number beyond long", "history.max-events: 99999999999999999999999", 1, "whole number")
kubemirror("negative number", "history.max-events: -1", 1, "kubemirror.history.max-events")
kubemirror("true as number", "history.max-events: true", 1, "whole number")
kubemirror("infinity", "history.max-events: .inf", 1, "whole number")
kubemirror("number with a comma", "history.max-events: 102,400", 1, "whole number")
kubemirror("empty number", "history.max-events: ''", 1, "kubemirror.history.max-events")
kubemirror("unknown word", "defaults.strategy: push", 1, "list-watch-parallel")
kubemirror("off without quotes", "defaults.reads: off", 1, "verify")
kubemirror("range that is reversed", "watches.timeout: 10m..5m", 1, "range")
start("placeholder without a value", [f"{FILE}, line 3", "API_SERVER", "kubemirror.upstream.server"], PORTS,
      {FILE: "kubemirror:\n  resources: [pods]\n  upstream.server: http://${API_SERVER}\n"})
kubemirror("placeholder without a value in a number", "history.max-events: ${MAX_EVENTS}", 1, ["MAX_EVENTS", "kubemirror.history.max-events"])
kubemirror("placeholder of itself", "upstream.server: ${kubemirror.upstream.server}", 1, "kubemirror.upstream.server")
file("placeholder in the resource", "kubemirror:\n  resources:\n    - resource: ${RESOURCE}\n", [f"{FILE}, line 3", "RESOURCE"])

# Resources.

file("kind in the place of a resource", "kubemirror:\n  resources: [Pod]\n", [f"{FILE}, line 2", "plural"])
file("path in the place of a resource", "kubemirror:\n  resources: [api/v1/pods]\n", [f"{FILE}, line 2", "pods"])
file("version in the place of a group", "kubemirror:\n  resources: [apps/v1/deployments]\n", [f"{FILE}, line 2", "deployments.apps"])
file("resource twice", "kubemirror:\n  resources: [pods, pods]\n", [f"{FILE}, line 2", "pods"])
file("secrets", "kubemirror:\n  resources: [secrets]\n", [f"{FILE}, line 2", "allow-secrets"])
file("pattern that starts with the process", "kubemirror:\n  resources: ['*']\n", [f"{FILE}, line 2", "on-demand"])
resource("label selector", "label-selector: 'app in (web'", "label-selector")
resource("field selector", "field-selector: status.phase", "field-selector")
resource("CEL in the place of a selector", "field-selector: 'object.spec.replicas > 1'", "field-selector")
resource("namespace with a capital", "namespaces: [Default]", "namespace")
resource("namespace *", "namespaces: ['*']", "namespaces")
resource("namespace twice", "namespaces: [a, a]", "duplicate")
resource("JSONPath in braces", "index-fields: ['{.spec.nodeName}']", "index-fields")
resource("path of an element", "drop-fields: ['spec.containers[0].image']", "drop-fields")
resource("path with a filter", "keep-fields: ['spec.containers[?(@.name==\"a\")]']", "keep-fields")
resource("path that is not closed", "drop-fields: [\"metadata.annotations['a\"]", "drop-fields")
resource("name that cannot be dropped", "drop-fields: [metadata.name]", "metadata.name")
resource("idle of what always runs", "idle: 5m", "on-demand")
resource("index of metadata only", "index-fields: [spec.priority]\n      metadata-only: true", "metadata-only")
resource("deadline that has no time", "on-sync-timeout: exit", "sync-timeout")
resource("negative page", "page-size: -1", "page-size")
file("prefix without etcd", "kubemirror:\n  resources:\n    - resource: pods\n      etcd: {prefix: /registry/pods/, kind: Pod}\n", [f"{FILE}, line 3", "upstream.etcd.endpoints"])

# Arguments.

argument("port 70000", "--server.port=70000", "server.port")
argument("port -5", "--server.port=-5", "server.port")
argument("empty port", "--server.port=", "server.port")
argument("port in words", "--server.port=http", "server.port")
argument("port with a fraction", "--server.port=8001.5", "server.port")
argument("port without a value", "--server.port", "--server.port", lines=None)
argument("port after a space", "--server.port", "--server.port", "8080", lines=None)
argument("one dash", "-server.port=8001", "'-server.port'")
argument("no dash", "kubemirror.history.span=5m", "'kubemirror.history.span'")
argument("property of the JVM", "-Dserver.port=8001", "'-Dserver.port'")
argument("word", "serve", "serve", lines=None)
argument("name of an argument", "--kubemirror.histroy.span=5m", "kubemirror.history")
argument("name of an argument of the server", "--server.prot=1", "server.port", serves=1)
argument("name without a group", "--kubemirror=pods", "kubemirror", lines=None)
argument("empty name", "--=pods", "'--'")
argument("location that drops the defaults", "--spring.config.location=file:{dir}/", "spring.config.additional-location")
argument("location that is missing", "--spring.config.additional-location=file:/no/x.yaml", "/no/x.yaml")
argument("location without an extension", "--spring.config.additional-location=file:{shared}/empty", "empty")
argument("location without a slash", "--spring.config.additional-location=file:{dir}", "additional-location")
argument("log level", "--logging.level.root=loud", "logging.level.root")
argument("log configuration that is missing", "--logging.config=/no/logback.xml", "logging.config")
argument("log file that cannot be written", "--logging.file.name=/proc/x.log", "logging.file.name")
argument("kind of the application", "--spring.main.web-application-type=none", "spring.main.web-application-type")
argument("structured log of an unknown format", "--logging.structured.format.console=xml", "logging.structured.format.console")
argument("JSON that is none", "--spring.application.json={hush-hush", "spring.application.json")
start("resources without a value", "--kubemirror.resources", ["--kubemirror.resources", NOWHERE, *PORTS], lines=None)
start("resources that are empty", "kubemirror.resources", ["--kubemirror.resources=", NOWHERE, *PORTS])
start("resources with an empty element", "kubemirror.resources", ["--kubemirror.resources=pods,,nodes", NOWHERE, *PORTS])
start("resources between semicolons", "kubemirror.resources", ["--kubemirror.resources=pods;nodes", NOWHERE, *PORTS])
start("resources in two places", "replaces", ["--kubemirror.resources=pods", NOWHERE, *PORTS],
      {FILE: "kubemirror:\n  resources: [nodes]\n  history.span: 5m\n"})

# Commands.

for name, words, says in (
        ("command", ["chekc"], "chekc"),
        ("check with an unknown option", ["check", "--no-credential"], "--no-credential"),
        ("check of a file with a mistake", ["check", "--spring.config.additional-location=file:{dir}/wrong.yaml"], "wrong.yaml, line 2"),
        ("check of an argument with a mistake", ["check", "--kubemirror.upstream.server=http://127.0.0.1:1", "--kubemirror.resources=Pod"], "Pod"),
        ("check without a kubeconfig", ["check", PODS], "kubemirror.upstream.kubeconfig"),
        ("check of a property without a value", ["check", "--kubemirror.resources"], "--kubemirror.resources"),
        ("diagnose of no URL", ["diagnose", "nonsense"], "nonsense"),
        ("diagnose by FTP", ["diagnose", "ftp://127.0.0.1/"], "ftp://127.0.0.1/"),
        ("diagnose where nothing listens", ["diagnose", "http://127.0.0.1:1"], "127.0.0.1:1"),
        ("diagnose of another server", ["diagnose", "http://127.0.0.1:{port}/"], "127.0.0.1:{port}"),
        ("diagnose with an option", ["diagnose", "http://127.0.0.1:1", "--quick"], "--quick"),
        ("version with a word", ["--version", "1"], "1"),
        ("command after a property", [PODS, "check", "--nope"], "--kubemirror.resources"),
        ("option that is unknown", ["--verbose"], "--verbose"),
):
    start(name, says, words, {"wrong.yaml": "kubemirror:\n  resources: [Pod]\n"}, lines=None if "/" not in says and not says.startswith("wrong") else 1)

# Environment variables.

variable("variable of a resource", "KUBEMIRROR_RESOURCES_0_RESOURCE", "Pod", "KUBEMIRROR_RESOURCES_0_RESOURCE")
variable("variable with a typo in a resource", "KUBEMIRROR_RESOURCES_0_RESUORCE", "pods", "KUBEMIRROR_RESOURCES_0_RESUORCE")
variable("variable with a duration", "KUBEMIRROR_HISTORY_SPAN", "soon", "KUBEMIRROR_HISTORY_SPAN")
variable("variable that is empty", "KUBEMIRROR_HISTORY_SPAN", "", "KUBEMIRROR_HISTORY_SPAN")
variable("variable with an underscore", "KUBEMIRROR_HISTORY_MAX_EVENTS", "5_000", "KUBEMIRROR_HISTORY_MAX_EVENTS")
variable("variable with a fraction", "KUBEMIRROR_HISTORY_MAX_EVENTS", "1000.5", "KUBEMIRROR_HISTORY_MAX_EVENTS")
variable("variable with a typo", "KUBEMIRROR_HISTROY_SPAN", "5m", "KUBEMIRROR_HISTROY_SPAN", serves=1)
variable("variable with a port", "MANAGEMENT_SERVER_ADDRESS", "everywhere", "MANAGEMENT_SERVER_ADDRESS")
variable("variable with JSON", "SPRING_APPLICATION_JSON", "{hush-hush", "SPRING_APPLICATION_JSON")
variable("variable with JSON of a wrong name", "SPRING_APPLICATION_JSON", '{"kubemirror":{"histroy":{"span":"5m"}}}', "kubemirror.history")
variable("variable with a log level", "LOGGING_LEVEL_ROOT", "loud", "LOGGING_LEVEL_ROOT")
start("KUBECONFIG that is missing", ["/no/config", "KUBECONFIG"], [PODS, *PORTS], environment={"KUBECONFIG": "/no/config"})
start("KUBECONFIG of two files", ["KUBECONFIG"], [PODS, *PORTS], environment={"KUBECONFIG": "/no/a:/no/b"})
start("service account without files", "service account", [PODS, *PORTS],
      environment={"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1"})
start("no kubeconfig", "kubemirror.upstream.server", [PODS, *PORTS])
start("context beside a server", "kubemirror.upstream.context", [PODS, *PORTS, NOWHERE, "--kubemirror.upstream.context=prod"])

# The listeners.

argument("address of another machine", "--server.address=192.0.2.1", "server.address", "--kubemirror.allow-unauthenticated=true", lines=2)
argument("address that is a name", "--server.address=nowhere.invalid", "server.address")
argument("address that is open", "--server.address=0.0.0.0", ["server.address", "allow-unauthenticated"])
argument("address with a port", "--server.address=127.0.0.1:8001", "server.address")
argument("management address of another machine", "--management.server.address=192.0.2.1", "management.server.address")
argument("management port 70000", "--management.server.port=70000", "management.server.port")
argument("management port in words", "--management.server.port=x", "management.server.port")
argument("port in use", "--server.port={port}", ["server.port", "in use"], "--kubemirror.history.span=2m")
argument("management port in use", "--management.server.port={port}", ["management.server.port", "in use"])
argument("no bundle", "--server.ssl.bundle=web", "spring.ssl.bundle.pem.web")
argument("no management bundle", "--management.server.ssl.bundle=web", ["management.server.ssl.bundle", "spring.ssl.bundle"], "--management.server.ssl.enabled=true")
for owner, on in (("server.ssl", []), ("management.server.ssl", ["--management.server.ssl.enabled=true"]),
                  ("spring.ssl.bundle.pem.web.keystore", ["--server.ssl.bundle=web"])):
    key = "private-key" if "bundle" in owner else "certificate-private-key"
    named = "server.ssl.bundle" if "bundle" in owner else owner
    for name, certificate, private, says in (
            ("certificate is missing", "/no/tls.crt", "/no/tls.key", "certificate"),
            ("key is missing", "{shared}/a.crt", "/no/tls.key", key),
            ("certificate is rubbish", "{shared}/rubbish.pem", "{shared}/a.key", named),
            ("key is rubbish", "{shared}/a.crt", "{shared}/rubbish.pem", named),
            ("certificate and key are swapped", "{shared}/a.key", "{shared}/a.crt", named),
            ("key is that of another certificate", "{shared}/a.crt", "{shared}/b.key", named)):
        argument(f"{owner}: {name}", f"--{owner}.certificate=file:{certificate}", says, f"--{owner}.{key}=file:{private}", *on)
argument("certificate without a key", "--server.ssl.certificate=file:{shared}/a.crt", "server.ssl")
argument("certificate that has expired", "--server.ssl.certificate=file:{shared}/expired.crt", ["server.ssl.certificate", "expired", "renew"],
         "--server.ssl.certificate-private-key=file:{shared}/expired.key", serves=1)
argument("key store is missing", "--server.ssl.key-store=/no/store.p12", "server.ssl.key-store")
argument("key store is rubbish", "--server.ssl.key-store={shared}/rubbish.pem", "server.ssl.key-store")
argument("password of the key store", "--server.ssl.key-store={shared}/a.p12", "server.ssl.key-store", "--server.ssl.key-store-password=wrong-hush-hush")
argument("alias of the key store", "--server.ssl.key-store={shared}/a.p12", "server.ssl", "--server.ssl.key-store-password=hush-hush", "--server.ssl.key-alias=nobody")
argument("client authentication", "--server.ssl.client-auth=sometimes", "server.ssl.client-auth")
argument("client authentication without a trust store", "--server.ssl.client-auth=need", "server.ssl",
         "--server.ssl.certificate=file:{shared}/a.crt", "--server.ssl.certificate-private-key=file:{shared}/a.key",
         "--server.ssl.trust-certificate=file:/no/ca.crt")
argument("protocol", "--server.ssl.enabled-protocols=SSLv9", "server.ssl.enabled-protocols",
         "--server.ssl.certificate=file:{shared}/a.crt", "--server.ssl.certificate-private-key=file:{shared}/a.key")
argument("cipher", "--server.ssl.ciphers=NOPE", "server.ssl.ciphers",
         "--server.ssl.certificate=file:{shared}/a.crt", "--server.ssl.certificate-private-key=file:{shared}/a.key")
argument("size of headers", "--server.max-http-request-header-size=lots", "server.max-http-request-header-size")
argument("threads", "--server.jetty.threads.max=1", "server.jetty.threads.max")
argument("threads below their minimum", "--server.jetty.threads.min=50", "server.jetty.threads")
argument("idle timeout", "--server.jetty.connection-idle-timeout=soon", "server.jetty.connection-idle-timeout")
argument("context path", "--server.servlet.context-path=mirror", "server.servlet.context-path")
argument("shutdown", "--server.shutdown=never", "server.shutdown")
argument("time of the shutdown", "--spring.lifecycle.timeout-per-shutdown-phase=soon", "spring.lifecycle.timeout-per-shutdown-phase")
argument("access of an endpoint", "--management.endpoint.health.access=some", "management.endpoint.health.access")
argument("member of a health group", "--management.endpoint.health.group.readiness.include=nope", "nope")

# Each group of kubemirror.

for name, words, says in (
        ("authentication", ["access.authentication=tokens"], "access.authentication"),
        ("client certificates without TLS", ["access.authentication=client-certificate"], "access.authentication"),
        ("audiences that nobody reviews", ["access.audiences=mirror"], "access.audiences"),
        ("hosts", ["allowed-hosts=http://a"], "allowed-hosts"),
        ("port of a host", ["allowed-hosts=a:80"], "allowed-hosts"),
        ("connections", ["connections.max=-1"], "connections.max"),
        ("connections of management", ["connections.management-max=0"], "connections.management-max"),
        ("history", ["history.max-events=9"], "history.max-events"),
        ("memory beyond the heap", ["memory.limit=9999GB"], "memory.limit"),
        ("memory of clients", ["memory.clients=9999GB"], "memory.clients"),
        ("mode", ["pass-through.mode=always"], "pass-through.mode"),
        ("verb", ["pass-through.mode=own", "pass-through.own-verbs=read"], "pass-through.own-verbs"),
        ("verbs without the mode", ["pass-through.own-verbs=get"], "pass-through.mode"),
        ("mode own for everyone", ["pass-through.mode=own", "allow-unauthenticated=true", "+server.address=0.0.0.0"], "pass-through.mode"),
        ("directory in /proc", ["persistence.directory=/proc/none"], "persistence.directory"),
        ("directory that is a file", ["persistence.directory=/etc/passwd"], "persistence.directory"),
        ("directory below a file", ["persistence.directory=/etc/passwd/mirrors"], "persistence.directory"),
        ("directory that is empty", ["persistence.directory="], "persistence.directory"),
        ("size without a directory", ["persistence.max-bytes=1GB"], "persistence.directory"),
        ("delay of the shutdown", ["shutdown.delay=-1s"], "shutdown.delay"),
        ("batch", ["watches.batch.max-bytes=1GB"], "watches.batch.max-bytes"),
        ("delay of a batch", ["watches.batch.max-delay=11s"], "watches.batch.max-delay"),
        ("lists at a time", ["upstream.concurrent-lists=0"], "upstream.concurrent-lists"),
        ("size of an object", ["upstream.max-object-bytes=1KB"], "upstream.max-object-bytes"),
        ("time to connect", ["upstream.connect-timeout=0"], "upstream.connect-timeout"),
        ("directory of objects that is missing", ["upstream.files.directory=/no/objects"], "upstream.files.directory"),
        ("directory of objects that is a file", ["upstream.files.directory=/etc/passwd"], "upstream.files.directory"),
        ("etcd without an acknowledgement", ["upstream.etcd.endpoints=http://127.0.0.1:1"], "acknowledge-no-authorization"),
        ("endpoint of etcd", ["upstream.etcd.endpoints=127.0.0.1:2379", "upstream.etcd.acknowledge-no-authorization=true"], "upstream.etcd.endpoints"),
        ("bundle of etcd", ["upstream.etcd.endpoints=https://127.0.0.1:1", "upstream.etcd.acknowledge-no-authorization=true", "upstream.etcd.ssl-bundle=etcd", "resources[0].etcd.prefix=/p/", "resources[0].etcd.kind=Pod", "resources[0].resource=pods.v1."], "upstream.etcd.ssl-bundle"),
        ("password of etcd without a user", ["upstream.etcd.endpoints=http://127.0.0.1:1", "upstream.etcd.acknowledge-no-authorization=true", "upstream.etcd.password=hush-hush"], "upstream.etcd"),
):
    properties = [word[1:] if word[0] == "+" else "kubemirror." + word for word in words]
    start("property: " + name, says, [*([] if "resources[" in str(words) else [PODS]), NOWHERE, *PORTS, *["--" + one for one in properties]])

argument("directory that is read-only", "--kubemirror.persistence.directory=/sys", ["kubemirror.persistence.directory", "permission denied"], serves=1)
for name, server in (("without a scheme", "127.0.0.1:6443"), ("of another scheme", "ftp://127.0.0.1"), ("with a port that is none", "http://127.0.0.1:99999"), ("without a host", "http://"), ("with a space", "http://a b"),
                     ("with a query", "http://127.0.0.1:1/?a=b"), ("that is empty", "")):
    start("URL " + name, "kubemirror.upstream", [PODS, *PORTS, "--kubemirror.upstream.server=" + server])
start("URL with a password", "refused", [PODS, *PORTS, "--kubemirror.upstream.server=http://me:hush-hush@127.0.0.1:1"], serves=1.5)
start("URL of a web server", ["pods", "JSON"], [PODS, *PORTS, "--kubemirror.upstream.server=http://127.0.0.1:{port200}"], serves=1.5)
start("credentials that are rejected", ["401", "credentials"], [PODS, *PORTS, "--kubemirror.upstream.server=http://127.0.0.1:{port401}"], serves=1.5)
start("permission that is missing", ["403", "grant"], [PODS, *PORTS, "--kubemirror.upstream.server=http://127.0.0.1:{port403}"], serves=1.5)
start("TLS where there is none", ["pods"], [PODS, *PORTS, "--kubemirror.upstream.server=https://127.0.0.1:{port200}"], serves=1.5)
start("API server that is not there", ["refused"], [PODS, *PORTS, NOWHERE], serves=1.5)
OBJECT = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default}\n"
FILES = "--kubemirror.upstream.files.directory={dir}/objects"
start("resource that does not exist", ["widgets.example.com", "does not have"], ["--kubemirror.resources=pods,widgets.example.com", *PORTS, FILES], {"objects/a.yaml": OBJECT}, serves=1.5)
start("resource that is misspelled", ["pod:", "correct kubemirror.resources"], ["--kubemirror.resources=pod", *PORTS, FILES], {"objects/a.yaml": OBJECT}, serves=1.5)
start("file of objects that is no YAML", ["a.yaml", "line 3"], [PODS, *PORTS, FILES], {"objects/a.yaml": "a: b\nc: [\n"}, serves=1.5, lines=2)
start("file of objects without a kind", ["a.yaml"], [PODS, *PORTS, FILES], {"objects/a.yaml": "metadata: {name: a}\n"}, serves=1.5, lines=2)

# Kubeconfigs.

K = "kubemirror.upstream.kubeconfig"
start("kubeconfig: missing", [K, "/no/config"], [PODS, *PORTS, "--kubemirror.upstream.kubeconfig=/no/config"])
start("kubeconfig: a directory", [K], [PODS, *PORTS, "--kubemirror.upstream.kubeconfig={dir}"])
kubeconfig("empty", K, text="")
kubeconfig("no YAML", [K, "line 3"], text="apiVersion: v1\nusers: [{token: hush-hush\n")
kubeconfig("a list", K, text="- a\n")
kubeconfig("a text", K, text="hush-hush\n")
kubeconfig("another kind", K, text="apiVersion: v1\nkind: Pod\n")
kubeconfig("no current context", "kubemirror.upstream.context", text="contexts: [{name: prod, context: {cluster: a}}]\n")
kubeconfig("unknown current context", ["kubemirror.upstream.context", "prod"], text="current-context: test\ncontexts: [{name: prod, context: {cluster: a}}]\n")
kubeconfig("unknown cluster", ["main"], text="current-context: prod\ncontexts: [{name: prod, context: {cluster: main, user: me}}]\nusers: [{name: me, user: {token: hush-hush}}]\n")
kubeconfig("unknown user", ["prod", "user 'me'"], text="current-context: prod\ncontexts: [{name: prod, context: {cluster: main, user: me}}]\nclusters: [{name: main, cluster: {server: 'https://127.0.0.1:1'}}]\n")
kubeconfig("server without a scheme", K, server="127.0.0.1:6443")
kubeconfig("CA that is no certificate", [K, "certificate-authority-data"], cluster="certificate-authority-data: aHVzaC1odXNo")
kubeconfig("CA that is not Base64", [K, "certificate-authority-data"], cluster="certificate-authority-data: '***hush-hush'")
kubeconfig("CA file that is missing", [K, "no.pem"], cluster="certificate-authority: no.pem")
kubeconfig("CA file that is none", [K, "rubbish.pem"], cluster="certificate-authority: '{shared}/rubbish.pem'")
kubeconfig("client certificate without a key", [K, "key"], user="client-certificate: '{shared}/a.crt'")
kubeconfig("client certificate with another key", [K, "key"], user="client-certificate: '{shared}/a.crt', client-key: '{shared}/b.key'")
kubeconfig("client certificate that has expired", [K, "expired"], user="client-certificate: '{shared}/expired.crt', client-key: '{shared}/expired.key'")
kubeconfig("client key that is rubbish", [K, "client-key"], user="client-certificate: '{shared}/a.crt', client-key: '{shared}/rubbish.pem'")
kubeconfig("client key that is missing", [K, "/no/key"], user="client-certificate: '{shared}/a.crt', client-key: /no/key")
kubeconfig("token file that is missing", [K, "none"], user="tokenFile: none")
kubeconfig("token file that is empty", [K, "empty"], user="tokenFile: '{shared}/empty'")
kubeconfig("old plugin", K, user="auth-provider: {name: gcp}")
kubeconfig("proxy that is none", [K, "proxy-url"], cluster="proxy-url: 'x y'")
kubeconfig("CA and insecure", [K, "insecure-skip-tls-verify"], cluster="insecure-skip-tls-verify: true, certificate-authority: '{shared}/a.crt'")
EXEC = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: "
kubeconfig("plugin that is missing", [K, "my-login"], user=f"exec: {{{EXEC}my-login}}")
for name, script in (("prints rubbish", "echo rubbish hush-hush"), ("exits with 1", "echo hush-hush; exit 1"),
                     ("prints nothing", "true"), ("prints another kind", "echo '{\"kind\":\"Pod\"}'"),
                     ("prints no token", "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{}}'")):
    kubeconfig("plugin that " + name, [K, "plugin"], user=f"exec: {{{EXEC}./plugin}}", files={"plugin": "#!/bin/sh\n" + script + "\n"})
kubeconfig("plugin that hangs", [K, "plugin", "has not answered"], user=f"exec: {{{EXEC}./plugin}}", files={"plugin": "#!/bin/sh\nexec sleep 600\n"}, waits=True)
kubeconfig("plugin without an apiVersion", [K], user="exec: {command: ./plugin}", files={"plugin": "#!/bin/sh\necho hush-hush\n"})
kubeconfig("plugin that is not executable", [K, "plugin"], user=f"exec: {{{EXEC}./plugin}}", files={"plugin": "echo hush-hush\n"})
start("context without a kubeconfig", "kubemirror.upstream.kubeconfig", [PODS, *PORTS, "--kubemirror.upstream.context=prod"])

# Requests to a process that mirrors these files.

OBJECTS = {
    "application.yaml": """kubemirror:
  resources:
    - resource: pods
      namespaces: [default]
    - resource: configmaps
      keep-fields: [metadata.labels]
  upstream:
    files:
      directory: '{dir}/config/objects'
""",
    "objects/pods.yaml": OBJECT + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: default}\ndata: {a: hush-hush}\n",
}
P = "/api/v1/namespaces/default/pods"
# Name, method, path, headers, body, code, words of the message.
REQUESTS = [
    ("request: unknown resource", "GET", "/api/v1/namespaces/default/widgets", {}, "", 404, []),
    ("request: resource that is not mirrored", "GET", "/apis/apps/v1/deployments", {}, "", 404, []),
    ("request: all namespaces of some", "GET", "/api/v1/pods", {}, "", 403, ["namespaces"]),
    ("request: another namespace", "GET", "/api/v1/namespaces/other/pods", {}, "", 403, ["other"]),
    ("request: unknown object", "GET", P + "/nope", {}, "", 404, ['pods "nope" not found']),
    ("request: subresource", "GET", P + "/a/log", {}, "", 405, ["subresources"]),
    ("request: write", "POST", P, {"Content-Type": "application/json"}, "{}", 405, ["pass-through"]),
    ("request: delete", "DELETE", P + "/a", {}, "", 405, ["pass-through"]),
    ("request: unknown method", "BREW", P, {}, "", 405, []),
    ("request: label selector", "GET", P + "?labelSelector=a%20in%20(", {}, "", 400, ["unable to parse requirement"]),
    ("request: field selector", "GET", P + "?fieldSelector=spec.nope%3Da", {}, "", 400, ["spec.nope"]),
    ("request: field selector without a value", "GET", P + "?fieldSelector=metadata.name", {}, "", 400, []),
    ("request: resource version", "GET", P + "?resourceVersion=abc", {}, "", 400, ["resourceVersion"]),
    ("request: resource version of the future", "GET", P + "?resourceVersion=99999999999999999", {}, "", 504, ["resource version"]),
    ("request: match without a version", "GET", P + "?resourceVersionMatch=Exact", {}, "", 422, ["resourceVersionMatch"]),
    ("request: unknown match", "GET", P + "?resourceVersion=1&resourceVersionMatch=About", {}, "", 422, ["resourceVersionMatch"]),
    ("request: limit", "GET", P + "?limit=many", {}, "", 400, ["many"]),
    ("request: continue", "GET", P + "?continue=abc", {}, "", 400, ["continue"]),
    ("request: timeout", "GET", P + "?watch=1&timeoutSeconds=soon", {}, "", 400, ["soon"]),
    ("request: initial events without a match", "GET", P + "?watch=1&sendInitialEvents=true", {}, "", 422, ["resourceVersionMatch"]),
    ("request: bookmark interval", "GET", P + "?watch=1&allowWatchBookmarks=true&bookmarkIntervalSeconds=0", {}, "", 400, ["bookmarkIntervalSeconds"]),
    ("request: order", "GET", P + "?sortBy=a{b}", {}, "", 400, ["a{b}", "path"]),
    ("request: two orders", "GET", P + "?sortBy=metadata.name&sortBy=metadata.uid", {}, "", 400, ["sortBy"]),
    ("request: order in other letters", "GET", P + "?sortby=metadata.name", {}, "", 400, ["sortBy"]),
    ("request: count", "GET", P + "?count=all", {}, "", 400, ["count", "only"]),
    ("request: groups", "GET", P + "?groupBy=a,b", {}, "", 400, ["a,b", "path"]),
    ("request: shard", "GET", P + "?shardSelector=half", {}, "", 400, ["shard"]),
    ("request: media type", "GET", P, {"Accept": "application/yaml"}, "", 406, ["application/json"]),
    ("request: form", "GET", P, {"Accept": "application/json;as=Chart;g=meta.k8s.io;v=v1"}, "", 406, []),
    ("request: form of an old version", "GET", P, {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1alpha1"}, "", 406, []),
    ("request: host of another page", "GET", P, {"Host": "evil.example.com"}, "", 403, ["allowed-hosts"]),
    ("request: origin of another page", "GET", P, {"Origin": "https://evil.example.com"}, "", 403, []),
    ("request: segments", "GET", "/api/v1/namespaces/default/../pods", {}, "", 404, []),
    ("request: stream without a resource", "GET", "/kubemirror/v1/watch", {}, "", 400, ["resource"]),
    ("request: stream of an unknown resource", "GET", "/kubemirror/v1/watch?resource=widgets", {}, "", 404, ["widgets"]),
    ("request: id of a stream", "GET", "/kubemirror/v1/watch?resource=configmaps", {"Last-Event-ID": "abc"}, "", 400, ["Last-Event-ID"]),
]
