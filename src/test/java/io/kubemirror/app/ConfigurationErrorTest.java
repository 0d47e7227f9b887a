package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import module java.base;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ConfigurationErrorTest {

    private static final String PODS = "kubemirror.resources[0].resource=pods";
    private static final Pattern PLACE_AND_REMEDY =
            Pattern.compile(
                    "kubemirror cannot start: [^ ]+"
                            + "( \\([^ ]+, line \\d+\\)|, line \\d+, column \\d+)?: .+; .+");

    @ParameterizedTest(name = "{0}")
    @CsvFileSource(
            resources = "/io/kubemirror/app/configuration-errors.csv",
            delimiter = '|',
            quoteCharacter = '"')
    void configuration_error_is_one_line_with_the_property_and_the_fix(
            String mistake, String line) {
        assertThat(mistake(PODS, mistake)).isEqualTo(line);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    server.port=-1 | server.port: serves the API nowhere; use a port, or set kubemirror.unix-socket
                    kubemirror.access.authentication=peer-credentials | kubemirror.access.authentication: peer-credentials requires a Unix socket; set kubemirror.unix-socket, or remove peer-credentials
                    kubemirror.unix-socket=/no/such/api.sock | kubemirror.unix-socket: is in a directory that does not exist; create /no/such, or mount a volume there
                    kubemirror.unix-socket=/etc/passwd | kubemirror.unix-socket: exists and is not a socket; remove it, or use another path
                    """)
    void configuration_error_about_a_listener_is_one_line_with_the_property_and_the_fix(
            String mistake, String line, CapturedOutput output) {
        assertThat(printed(output, PODS, mistake)).endsWith("kubemirror cannot start: " + line);
    }

    /** Reading the memory of a process fails, whoever the user is. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    max-bytes=0 | max-bytes: is too small; use a size such as 2GB, or remove it
                    max-bytes=-1GB | max-bytes: is too small; use a size such as 2GB, or remove it
                    max-bytes=much | max-bytes: cannot read 'much'; use a size such as 64MB
                    key-file=/no/key | key-file: is no readable file with 32 bytes in Base64; create one with: openssl rand -base64 32
                    key-file=/proc/self/mem | key-file: is no readable file with 32 bytes in Base64; create one with: openssl rand -base64 32
                    key-file=/etc/passwd | key-file: is no readable file with 32 bytes in Base64; create one with: openssl rand -base64 32
                    key-file=/dev/null | key-file: is no readable file with 32 bytes in Base64; create one with: openssl rand -base64 32
                    """)
    void mirrors_are_not_stored_with_a_useless_key_or_size(
            String mistake, String line, CapturedOutput output) {
        String persistence = "kubemirror.persistence.";
        assertThat(
                        printed(
                                output,
                                PODS,
                                persistence + "directory=/proc/none",
                                persistence + mistake))
                .endsWith("kubemirror cannot start: " + persistence + line);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    start=on-demand idle=0 | idle: is too short; use 1s or more
                    metadata-only=true index-fields=spec.priority | index-fields: cannot be used with metadata-only; remove it, or set metadata-only=false
                    start=late | start: cannot read 'late'; use one of always, on-demand
                    idle=5m | idle: has no effect on a mirror that starts with the process; set start=on-demand, or remove it
                    resource=* | start: is not possible for a pattern, which stands for many resources; use on-demand
                    start=on-demand resource=*.*.com | resource: is not a pattern; use * for all resources, *. for those of the core group, or a group such as *.apps
                    start=on-demand namespaces=a,b union=true | union: is not possible on demand; use start=always, or remove it
                    start=on-demand sync-timeout=2m | sync-timeout: has no effect on demand; use start=always, or remove it
                    start=on-demand on-sync-timeout=report | on-sync-timeout: has no effect on demand; use start=always, or remove it
                    start=on-demand resource=secrets | resource: all clients of kubemirror could read secrets; remove it, or set kubemirror.allow-secrets=true to allow this
                    start=on-demand resource=* field-selector=metadata.name=a | field-selector: names fields that not all resources of a pattern have; name one resource, or remove it
                    start=on-demand resource=*.apps index-fields=spec.replicas | index-fields: names fields that not all resources of a pattern have; name one resource, or remove it
                    """)
    void settings_of_a_resource_do_not_contradict_each_other(String mistakes, String line) {
        String[] settings =
                Stream.concat(Stream.of("resource=pods"), Stream.of(mistakes.split(" ")))
                        .map(setting -> "kubemirror.resources[0]." + setting)
                        .toArray(String[]::new);
        assertThat(mistake(settings)).isEqualTo("kubemirror.resources[0]." + line);
    }

    @Test
    void two_equal_patterns_are_rejected() {
        assertThatThrownBy(
                        () ->
                                ApplicationLauncher.with(
                                                "kubemirror.resources[0].resource=*.apps",
                                                "kubemirror.resources[0].start=on-demand",
                                                "kubemirror.resources[1].resource=*.apps",
                                                "kubemirror.resources[1].start=on-demand")
                                        .close())
                .rootCause()
                .hasMessageContaining("*.apps is mirrored by kubemirror.resources[0] already");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    kubemirror.upstream.etcd.acknowledge-no-authorization=false | kubemirror.upstream.etcd.acknowledge-no-authorization: is not true; kubemirror reads etcd around the authorization of the API server, and serves it to its own clients: read the threat model, and set it to true
                    kubemirror.upstream.etcd.endpoints= | kubemirror.upstream.etcd.endpoints: is missing; set it to the client URLs of the members, for example https://10.0.0.1:2379
                    kubemirror.upstream.etcd.endpoints=10.0.0.1:2379 | kubemirror.upstream.etcd.endpoints[0]: is not the URL of a member; use scheme, host and port, for example https://10.0.0.1:2379
                    kubemirror.upstream.etcd.endpoints=http://:secret@a:1 | kubemirror.upstream.etcd.endpoints[0]: is not the URL of a member; use scheme, host and port, for example https://10.0.0.1:2379
                    kubemirror.upstream.etcd.endpoints=http://a:1,https://b:1 | kubemirror.upstream.etcd.endpoints: mixes http and https; use one of them
                    kubemirror.upstream.etcd.ssl-bundle=etcd | kubemirror.upstream.etcd.ssl-bundle: is not used with http; use https, or remove it
                    kubemirror.upstream.etcd.password=p | kubemirror.upstream.etcd.user: is missing; set it, or remove the password
                    kubemirror.upstream.etcd.user=u | kubemirror.upstream.etcd.password: set either password or password-file for the user
                    kubemirror.upstream.etcd.certificate=c | kubemirror.upstream.etcd.certificate: unknown property; use one of endpoints, ssl-bundle, user, password, password-file, acknowledge-no-authorization or remove it
                    kubemirror.resources[0].etcd.prefix=/registry/widgets | kubemirror.resources[0].etcd.prefix: does not end with a slash; use the beginning of the keys, for example /calico/resources/v3/projectcalico.org/networkpolicies/
                    kubemirror.resources[0].etcd.namespace=false | kubemirror.resources[0].etcd.namespace: unknown property; did you mean kubemirror.resources[0].etcd.namespaced?
                    kubemirror.resources[0].etcd.namespaced=no-way | kubemirror.resources[0].etcd.namespaced: cannot read 'no-way'; use true or false
                    kubemirror.resources[0].etcd.endpoints=http://a:1 | kubemirror.resources[0].etcd.endpoints: unknown property; use one of prefix, kind, namespaced or remove it
                    kubemirror.resources[0].etcd.kind=widget | kubemirror.resources[0].etcd.kind: is not a kind; use a name such as NetworkPolicy
                    kubemirror.resources[0].resource=widgets.example.com | kubemirror.resources[0].resource: is not complete, and etcd has no discovery; use plural, version and group, for example networkpolicies.v3.projectcalico.org, or configmaps.v1. for the core group
                    kubemirror.resources[0].strategy=watch-list | kubemirror.resources[0].strategy: watch-list needs an API server; use auto for a resource in etcd
                    kubemirror.resources[0].reads=verify | kubemirror.resources[0].reads: needs an API server; use cache for a resource in etcd
                    kubemirror.resources[1].resource=widgets | kubemirror.resources[1].etcd: widgets.example.com has another source in this configuration; use one source for a resource
                    """)
    void configuration_error_about_etcd_is_one_line_with_the_property_and_the_fix(
            String mistake, String line) {
        assertThat(
                        mistake(
                                "kubemirror.upstream.etcd.endpoints=http://127.0.0.1:1",
                                "kubemirror.upstream.etcd.acknowledge-no-authorization=true",
                                "kubemirror.resources[0].resource=widgets.v1.example.com",
                                "kubemirror.resources[0].etcd.prefix=/registry/widgets/",
                                "kubemirror.resources[0].etcd.kind=Widget",
                                mistake))
                .isEqualTo(line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    resource=widgets.v1.example.com | [0].etcd: has no members; set kubemirror.upstream.etcd.endpoints
                    etcd.namespaced=false | [0].namespaces: cannot be used with etcd.namespaced=false; remove one of them
                    etcd.kind=Secret | [0].etcd.kind: all clients of kubemirror could read secrets; remove it, or set kubemirror.allow-secrets=true to allow this
                    """)
    void contradiction_about_etcd_is_reported_on_one_line(String setting, String line) {
        String endpoints =
                line.contains("no members")
                        ? "kubemirror.upstream.lost-after=1m"
                        : "kubemirror.upstream.etcd.endpoints=http://127.0.0.1:1";
        String acknowledged =
                line.contains("no members")
                        ? "kubemirror.upstream.lost-after=1m"
                        : "kubemirror.upstream.etcd.acknowledge-no-authorization=true";
        assertThat(
                        mistake(
                                endpoints,
                                acknowledged,
                                "kubemirror.resources[0].resource=things.v1.",
                                "kubemirror.resources[0].namespaces=a",
                                "kubemirror.resources[0].etcd.prefix=/registry/things/",
                                "kubemirror.resources[0].etcd.kind=Thing",
                                "kubemirror.resources[0]." + setting))
                .isEqualTo("kubemirror.resources" + line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    jks.other.key.alias=a | there is no bundle of that name; configure spring.ssl.bundle.pem.etcd
                    pem.etcd.truststore.certificate=/no/such/ca.crt | the bundle cannot be read; correct spring.ssl.bundle.pem.etcd
                    pem.etcd.keystore.private-key=hidden-key | the bundle cannot be read; correct spring.ssl.bundle.pem.etcd
                    """)
    void bundle_that_cannot_be_read_is_reported_on_one_line(
            String bundle, String problem, CapturedOutput output) {
        assertThat(
                        printed(
                                output,
                                "kubemirror.upstream.etcd.endpoints=https://127.0.0.1:1",
                                "kubemirror.upstream.etcd.acknowledge-no-authorization=true",
                                "kubemirror.upstream.etcd.ssl-bundle=etcd",
                                "kubemirror.resources[0].resource=things.v1.",
                                "kubemirror.resources[0].etcd.prefix=/registry/things/",
                                "kubemirror.resources[0].etcd.kind=Thing",
                                "spring.ssl.bundle." + bundle))
                .endsWith("cannot start: kubemirror.upstream.etcd.ssl-bundle: " + problem)
                .doesNotContain("hidden-key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1B", "1GB"})
    void batch_that_is_too_small_or_beyond_the_memory_of_clients_is_reported_on_one_line(
            String size, CapturedOutput output) {
        assertThat(
                        printed(
                                output,
                                PODS,
                                "kubemirror.memory.clients=16MB",
                                "kubemirror.watches.batch.max-bytes=" + size))
                .endsWith(
                        "kubemirror cannot start: kubemirror.watches.batch.max-bytes: is too small,"
                                + " or more than an eighth of the 16 MB for clients; use 1KB or"
                                + " more, and at most 2048KB");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    strategy=watch-list | kubemirror.resources[0].strategy: watch-list needs bookmarks; use auto, or set kubemirror.upstream.bookmarks=true
                    lost-after=9m | kubemirror.upstream.lost-after: is shorter than watch-timeout, which a watch without bookmarks may be silent for; raise it, or set kubemirror.upstream.bookmarks=true
                    """)
    void settings_that_need_bookmarks_are_reported_on_one_line(String setting, String line) {
        String owner =
                setting.startsWith("strategy")
                        ? "kubemirror.resources[0]."
                        : "kubemirror.upstream.";
        assertThat(mistake(PODS, "kubemirror.upstream.bookmarks=false", owner + setting))
                .isEqualTo(line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    label-selector | a in ( | use the syntax of kubectl get --selector
                    field-selector | a | use the syntax of kubectl get --field-selector
                    """)
    void invalid_selector_is_reported_on_one_line(String property, String selector, String remedy) {
        String setting = "kubemirror.resources[0]." + property;

        assertThat(mistake(PODS, setting + "=" + selector))
                .startsWith(setting + ": ")
                .endsWith("; " + remedy);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    server: 10.0.0.1:6443 | server (FILE, line 4): is not a URL; use scheme, host and port, for example https://10.0.0.1:6443
                    kubeconfig: /no/such/file | kubeconfig (FILE, line 4): /no/such/file: cannot read the file
                    context: prod | context (FILE, line 4): KUBECONFIG has no context 'prod'; set this property to one of [test]
                    """)
    void invalid_upstream_configuration_is_reported_with_its_file_and_line(
            String setting, String problem, CapturedOutput output, @TempDir Path directory)
            throws IOException {
        Path kubeconfig =
                Files.writeString(
                        directory.resolve("kubeconfig"),
                        """
                        contexts: [{name: test, context: {cluster: c}}]
                        clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
                        """);
        Path file =
                Files.writeString(
                        directory.resolve("application.yaml"),
                        """
                        kubemirror:
                          resources: [pods]
                          upstream:
                            %s
                            %s
                        """
                                .formatted(
                                        setting,
                                        setting.startsWith("context")
                                                ? "kubeconfig: " + kubeconfig
                                                : ""));

        assertThatThrownBy(() -> ApplicationLauncher.fromFiles(directory + "/").close());

        assertThat(theLine(output.getAll()))
                .contains(
                        "kubemirror cannot start: kubemirror.upstream."
                                + problem.replace("FILE", file.toString())
                                        .replace("KUBECONFIG", kubeconfig.toString()));
    }

    @Test
    void each_mistake_in_a_file_is_one_line_with_place_and_remedy(
            CapturedOutput output, @TempDir Path directory) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String mistake :
                List.of(
                        "resuorces: [pods]",
                        "resources: [pods]\n  history.span: soon",
                        "resources:\n    - resource: pods\n     page-size: 5",
                        "resources: pods: x",
                        "resources: ['pods]",
                        "resources: &all [pods, *all]",
                        "resources:\n    resource: pods",
                        "resources: []",
                        "resources: [pods]\n\tallow-secrets: true",
                        "resources: [pods]\n  allow-secrets: true\n  allow-secrets: false",
                        "resources: [pods]\n  defaults.ttl: 5m",
                        "resources: [pods, pods]",
                        "resources: [secrets]",
                        "resources: [{resource: pods, label-selector: {app: db}}]",
                        "resources: [{resource: pods, history: {max-event: 9}}]",
                        "resources: [pods]\nserver.port: http",
                        "resources: [pods]\nserver.address: 0.0.0.0")) {
            Files.writeString(
                    directory.resolve("application.yaml"),
                    "kubemirror:\n  upstream:\n    server: http://127.0.0.1:1\n  "
                            + mistake
                            + "\n");
            int before = output.getAll().length();
            assertThatThrownBy(() -> ApplicationLauncher.fromFiles(directory + "/").close());
            lines.add(
                    theLine(output.getAll().substring(before))
                            .replaceFirst(".*(?=kubemirror cannot start: )", "")
                            .replace(directory.toString(), "config"));
        }

        assertThat(lines).allMatch(line -> PLACE_AND_REMEDY.matcher(line).matches());
        assertThat(Files.readString(Path.of("src", "docs", "command-line.md")).lines())
                .filteredOn(line -> line.startsWith("kubemirror cannot start: "))
                .hasSize(3)
                .isSubsetOf(lines);
    }

    @Test
    void missing_resources_error_names_the_property_to_set(CapturedOutput output) {
        assertThatThrownBy(() -> ApplicationLauncher.with().close());

        assertThat(output)
                .contains("kubemirror.resources: is empty; set at least")
                .doesNotContain("\tat ");
    }

    @Test
    void port_conflict_error_names_the_port(CapturedOutput output) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "server.port=" + taken.getLocalPort();

            assertThatThrownBy(() -> ApplicationLauncher.with(PODS, port).close());

            assertThat(output)
                    .contains(
                            "port " + taken.getLocalPort() + " is already in use; stop the process")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void other_startup_failures_are_left_to_spring_boot() {
        assertThat(new ConfigurationErrorReporter(null).analyze(new IllegalStateException("bug")))
                .isNull();
    }

    /** The line about a mistake that binding finds. */
    private static String mistake(String... settings) {
        Map<String, String> all = new HashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            all.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        Throwable failure =
                catchThrowable(() -> MirrorDefinition.all(BoundProperties.records(all)));
        String line = BoundProperties.mistake(failure);
        return line.isEmpty() ? String.valueOf(failure) : line;
    }

    /** The only line that a start prints, about a mistake that needs a start to be found. */
    private static String printed(CapturedOutput output, String... settings) {
        assertThatThrownBy(() -> ApplicationLauncher.with(settings).close());
        return theLine(output.getAll());
    }

    private static String theLine(String output) {
        List<String> lines = output.lines().filter(printed -> !isAboutTheStart(printed)).toList();
        assertThat(lines).hasSize(1);
        return lines.getFirst();
    }

    private static boolean isAboutTheStart(String printed) {
        return printed.contains(" INFO ");
    }
}
