package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubernetes.client.util.ClientBuilder;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What only a whole kube-apiserver has: roles, tokens of service accounts, impersonation,
 * admission, and flow control. Clients see the same through kubemirror.
 */
@WithApiServer(secure = true, own = true)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class WholeServerTest {

    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
    private static final String FLOWS = "/apis/flowcontrol.apiserver.k8s.io/v1";
    private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1";

    private static final String SCHEMA = "x-kubernetes-pf-flowschema-uid";

    private final Path directory;
    private final String kubeconfig;
    private final String token;
    private final String namespace;
    private final URI url;
    private final RestClient direct;
    @AutoClose private final ConfigurableApplicationContext kubemirror;
    private final RestClient client;

    WholeServerTest(ApiServer server, TestNamespace space, @TempDir Path directory)
            throws IOException {
        this.directory = directory;
        namespace = space.name();
        url = server.url();
        direct = server.client();
        assumeThat(direct.get(ADMISSION).code()).as("a server with admission").isEqualTo(200);
        kubeconfig = server.kubeconfig().orElseThrow();
        token = server.token();
        kubemirror =
                mirroring(
                        token,
                        "kubemirror.pass-through.mode=client",
                        "kubemirror.access.cache.allowed=1s");
        client = ApplicationLauncher.ready(kubemirror).withToken(token);
    }

    private ConfigurableApplicationContext mirroring(String credential, String... further)
            throws IOException {
        Path file = Files.createTempFile(directory, "kubeconfig", "");
        Files.writeString(file, kubeconfig.replace(token, credential));
        List<String> settings =
                List.of(
                        ApiServer.SERVER,
                        "kubemirror.upstream.kubeconfig=" + file,
                        "kubemirror.resources[0].resource=configmaps");
        return ApplicationLauncher.with(
                Stream.concat(settings.stream(), Stream.of(further)).toArray(String[]::new));
    }

    @BeforeAll
    void grant() {
        create(
                roles("roles"),
                """
                {"metadata":{"name":"reader"},"rules":[
                 {"apiGroups":[""],"resources":["configmaps","endpoints"],"verbs":["list"]}]}
                """);
        create(
                roles("rolebindings"),
                """
                {"metadata":{"name":"reader"},
                 "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"},
                 "subjects":[{"kind":"ServiceAccount","name":"reader","namespace":"%s"},
                  {"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"alice"}]}
                """
                        .formatted(namespace));
        // The server learns of roles and bindings by watches of its own.
        WaitLimit.until(
                () -> direct.get(core("endpoints"), "Impersonate-User", "alice").code() == 200);
    }

    private String roles(String plural) {
        return RBAC + "/namespaces/" + namespace + "/" + plural;
    }

    private String core(String rest) {
        return "/api/v1/namespaces/" + namespace + "/" + rest;
    }

    private void create(String collection, String body) {
        direct.write("POST", collection, body);
    }

    /** Creates a service account, and returns the token that the server gives it. */
    private String serviceAccount(String name) {
        create(core("serviceaccounts"), "{\"metadata\":{\"name\":\"" + name + "\"}}");
        return client.write("POST", core("serviceaccounts/" + name + "/token"), "{}")
                .at("/status/token")
                .asString();
    }

    @Test
    void role_decides_what_a_service_account_reads_from_the_mirror() {
        String own = serviceAccount("reader");
        RestClient account = client.withToken(own);
        WaitLimit.until(() -> direct.withToken(own).get(core("configmaps")).code() == 200);

        RestResponse permitted = account.get(core("configmaps"));
        assertThat(permitted.code()).isEqualTo(200);
        assertThat(permitted.header("kubemirror-state")).isEqualTo("synced");
        for (String denied : List.of("/api/v1/configmaps", core("configmaps/x"), core("secrets"))) {
            assertSame(account.get(denied), direct.withToken(own).get(denied), 403);
        }

        direct.write("DELETE", core("serviceaccounts/reader"), null);
        WaitLimit.until(() -> account.get(core("configmaps")).code() == 401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"configmaps", "endpoints", "secrets", "configmaps/x"})
    void impersonated_user_sees_what_the_server_shows(String what) {
        for (String user : List.of("alice", "bob")) {
            RestResponse through = client.get(core(what), "Impersonate-User", user);

            RestResponse expected = direct.get(core(what), "Impersonate-User", user);
            assertThat(through.code()).as("%s", user).isEqualTo(expected.code());
            if (expected.code() == 403) {
                assertSame(through, expected, 403);
            }
        }
    }

    @Test
    void warnings_and_denials_of_admission_reach_the_client() {
        create(
                ADMISSION + "/validatingadmissionpolicies",
                """
                {"metadata":{"name":"no-secret-names"},"spec":{
                 "matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],
                  "operations":["CREATE"],"resources":["configmaps"]}]},
                 "validations":[{"expression":"object.metadata.name != 'denied'",
                  "message":"choose another name"}]}}
                """);
        create(
                ADMISSION + "/validatingadmissionpolicybindings",
                """
                {"metadata":{"name":"no-secret-names"},
                 "spec":{"policyName":"no-secret-names","validationActions":["Deny"]}}
                """);
        String denied = "{\"metadata\":{\"name\":\"denied\"}}";
        String dry = core("configmaps?dryRun=All");
        WaitLimit.until(() -> direct.send("POST", dry, denied).code() == 422);

        assertSame(client.send("POST", dry, denied), direct.send("POST", dry, denied), 422);

        String pod =
                """
                {"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],
                 "nodeSelector":{"beta.kubernetes.io/os":"linux"}}}
                """;
        RestResponse warned = client.send("POST", core("pods?dryRun=All"), pod);
        assertThat(warned.code()).isEqualTo(201);
        assertThat(warned.header("warning"))
                .isEqualTo(direct.send("POST", core("pods?dryRun=All"), pod).header("warning"))
                .contains("beta.kubernetes.io/os");
    }

    @Test
    void rejections_of_flow_control_reach_clients_and_delay_reflectors() throws IOException {
        String account = serviceAccount("jailed");
        create(
                RBAC + "/clusterrolebindings",
                """
                {"metadata":{"name":"jailed"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",
                  "kind":"ClusterRole","name":"cluster-admin"},
                 "subjects":[{"kind":"ServiceAccount","name":"jailed","namespace":"%s"}]}
                """
                        .formatted(namespace));
        jail("jailed");
        RestClient jailed = direct.withToken(account);
        String schema = direct.read(FLOWS + "/flowschemas/jailed").at("/metadata/uid").asString();
        // A request that begins before the server knows the schema is not counted.
        WaitLimit.until(() -> jailed.get(core("endpoints")).header(SCHEMA).equals(schema));
        List<Socket> begun = new ArrayList<>();
        try {
            WaitLimit.until(() -> isJailed(begun, account, jailed));
            assertRejected(jailed, client.withToken(account));
            assertDelayed(account);
        } finally {
            for (Socket socket : begun) {
                socket.close();
            }
        }
    }

    /**
     * Begins a write, and returns whether the server counts one. It rejects a write that begins
     * before it has forgotten the request before, so several may be needed.
     */
    private boolean isJailed(List<Socket> begun, String account, RestClient jailed)
            throws IOException {
        begun.add(begin(account));
        return IntStream.range(0, 3).allMatch(_ -> jailed.get(core("endpoints")).code() == 429);
    }

    /** Begins a write whose body does not end, and which the server counts until it does. */
    private Socket begin(String credential) throws IOException {
        Socket socket =
                new ClientBuilder()
                        .setVerifyingSsl(false)
                        .build()
                        .getHttpClient()
                        .sslSocketFactory()
                        .createSocket(url.getHost(), url.getPort());
        String head =
                """
                POST %s HTTP/1.1
                Host: localhost
                Authorization: Bearer %s
                Content-Type: application/json
                Content-Length: 1000

                {\
                """
                        .formatted(core("configmaps"), credential);
        socket.getOutputStream()
                .write(head.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private void assertRejected(RestClient jailed, RestClient through) {
        AtomicReference<RestResponse> sent = new AtomicReference<>();
        // The server changes the time after which to try again, at most once in a second.
        WaitLimit.until(
                () -> {
                    String before = jailed.get(core("endpoints")).header("retry-after");
                    sent.set(through.get(core("endpoints")));
                    String after = jailed.get(core("endpoints")).header("retry-after");
                    return before.equals(after) && after.equals(sent.get().header("retry-after"));
                });
        RestResponse rejected = sent.get();
        assertThat(rejected.code()).isEqualTo(429);
        assertThat(rejected.header(SCHEMA))
                .isEqualTo(jailed.get(core("endpoints")).header(SCHEMA))
                .isNotEmpty();
        assertThat(rejected.body()).isEqualTo(jailed.get(core("endpoints")).body());
    }

    private void assertDelayed(String account) throws IOException {
        try (ConfigurableApplicationContext waiting = mirroring(account)) {
            RestClient management = ApplicationLauncher.management(waiting);
            WaitLimit.until(() -> management.get("/actuator/mirrors").body().contains("HTTP 429"));
            direct.write("DELETE", FLOWS + "/flowschemas/jailed", null);

            assertThat(ApplicationLauncher.ready(waiting).get(core("configmaps")).code())
                    .isEqualTo(200);
        }
    }

    /** Lets one request of a service account pass at a time. */
    private void jail(String account) {
        create(
                FLOWS + "/prioritylevelconfigurations",
                """
                {"metadata":{"name":"%s"},"spec":{"type":"Limited","limited":{
                 "nominalConcurrencyShares":0,"lendablePercent":0,"borrowingLimitPercent":0,
                 "limitResponse":{"type":"Reject"}}}}
                """
                        .formatted(account));
        create(
                FLOWS + "/flowschemas",
                """
                {"metadata":{"name":"%1$s"},"spec":{"matchingPrecedence":2,
                 "priorityLevelConfiguration":{"name":"%1$s"},"rules":[{
                  "subjects":[{"kind":"ServiceAccount",
                   "serviceAccount":{"name":"%1$s","namespace":"%2$s"}}],
                  "resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],
                   "clusterScope":true,"namespaces":["*"]}],
                  "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}}
                """
                        .formatted(account, namespace));
    }

    /** The answer is that of the server, with the same Status. */
    private static void assertSame(RestResponse answer, RestResponse expected, int code) {
        assertThat(expected.code()).as("%s", expected.body()).isEqualTo(code);
        assertThat(answer.code()).as("%s", answer.body()).isEqualTo(code);
        assertThat(JsonTrees.parse(answer.body())).isEqualTo(JsonTrees.parse(expected.body()));
    }
}
