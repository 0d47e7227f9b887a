package io.kubemirror.kube;

import static io.kubemirror.kube.UpstreamSamples.metadataOf;
import static io.kubemirror.kube.UpstreamSamples.pods;
import static io.kubemirror.kube.UpstreamSamples.podsIn;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import com.sun.net.httpserver.HttpExchange;

import io.kubemirror.kube.KubeClient.ServerVersion;
import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ListRequest.RevisionMatch;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.ServerPorts;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KubeClientTest extends RawServerHarness {

    private static final ListRequest FIRST_PAGE = firstPage(pods());
    private static final Result<ListMeta> NO_ANSWER =
            Result.failed(
                    new Failure.Unreachable(
                            "the server did not respond in time", Failure.Unreachable.Kind.SILENT));

    private final List<KubeObject> objects = new ArrayList<>();

    @Test
    void list_requests_gzip_json_with_the_kubemirror_user_agent() throws Exception {
        answer(200, EMPTY_LIST);

        assertThat(list()).isEqualTo(EMPTY_PAGE);

        HttpExchange request = requestOf("/api/v1/pods");
        assertThat(request.getRequestMethod()).isEqualTo("GET");
        assertThat(header(request, "Accept")).isEqualTo("application/json");
        assertThat(header(request, "Accept-Encoding")).isEqualTo("gzip");
        assertThat(header(request, "User-Agent")).isEqualTo("kubemirror/1.2.3");
        assertThat(header(request, "Authorization")).isNull();
    }

    @Test
    void metadata_list_requests_only_partial_object_metadata() throws Exception {
        answer(200, EMPTY_LIST.replace("PodList", "PartialObjectMetadataList"));

        assertThat(list(firstPage(metadataOf(UpstreamSamples.PODS)))).isEqualTo(EMPTY_PAGE);

        assertThat(header(request(), "Accept"))
                .isEqualTo("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    }

    /**
     * The path of the server, the namespace, whether the revision is exact, the token of a page.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    '' | shop | false | | /api/v1/namespaces/shop/pods?resourceVersion=77&limit=500
                    '' | shop | false | a+b/c=&d \u00e9 | /api/v1/namespaces/shop/pods?limit=500&continue=a%2Bb%2Fc%3D%26d%20%C3%A9
                    '' | '' | true | | /api/v1/pods?resourceVersion=77&resourceVersionMatch=Exact&limit=500
                    '' | '' | true | tok | /api/v1/pods?limit=500&continue=tok
                    /clusters/c1/ | '' | false | | /clusters/c1/api/v1/pods?resourceVersion=77&limit=500
                    """)
    void list_requests_what_is_wanted(
            String path, String namespace, boolean exact, @Nullable String token, String target)
            throws Exception {
        answer(200, EMPTY_LIST);
        RevisionMatch match = exact ? RevisionMatch.EXACT : RevisionMatch.NOT_OLDER_THAN;
        ListRequest first =
                new ListRequest(podsIn(namespace), new Revision("77"), match, 500, null);

        client(path).list(token == null ? first : first.next(token), objects::add);

        requestOf(target);
    }

    /** A redirect is not followed, and of the page of a proxy nothing is repeated. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    410 | {"kind":"Status","metadata":{"continue":"tok"},"message":"too old","reason":"Expired","code":410} | Location | /x | HTTP 410 Expired: too old | tok | 0
                    429 | Too many requests, please try again later. | Retry-After | 7 | HTTP 429 TooManyRequests: the server returned an error without a Status | | 7
                    502 | <html>secret</html> | Location | /x | HTTP 502 InternalError: the server returned an error without a Status | | 0
                    302 | '' | Location | /elsewhere | HTTP 302 | | 0
                    """)
    void refused_list_returns_its_status(
            int code,
            String body,
            String header,
            String value,
            String summary,
            @Nullable String token,
            int retryAfter)
            throws Exception {
        answer(code, body, header, value);

        Failure.Refused refused = (Failure.Refused) Results.failure(list());

        assertThat(refused.summary()).startsWith(summary).doesNotContain("secret");
        assertThat(refused.status().continueToken()).isEqualTo(token);
        assertThat(refused.status().retryAfterSeconds()).isEqualTo(retryAfter);
        requestOf("/api/v1/pods");
        assertThat(requests).isEmpty();
    }

    @Test
    void version_is_returned_with_its_unchanged_document() throws Exception {
        String document = "{\n  \"major\": \"1\",\n  \"gitVersion\": \"v1.36.4+k3s1\"\n}";
        answer(200, document);

        assertThat(client("").version())
                .isEqualTo(Result.of(new ServerVersion("v1.36.4+k3s1", document)));

        HttpExchange request = requestOf("/version");
        assertThat(header(request, "Accept")).isEqualTo("application/json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"initializing", "stale"})
    void incomplete_discovery_of_a_kubemirror_fails_with_429(String state) throws Exception {
        answer(200, "{\"kind\":\"APIGroupList\",\"groups\":[]}", "Kubemirror-State", state);

        assertThat(Results.failure(client("").resolve(new ResourceName("pods"))))
                .isInstanceOfSatisfying(
                        Failure.Refused.class,
                        refused -> assertThat(refused.status().code()).isEqualTo(429));
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>", "{}", "[]", "{\"gitVersion\":{}}", "{\"gitVersion\":\"v1"})
    void version_document_without_a_version_is_malformed(String document) throws Exception {
        answer(200, document);

        assertThat(Results.failure(client("").version())).isInstanceOf(Failure.Malformed.class);
    }

    @Test
    void passed_request_and_response_are_unchanged() throws Exception {
        byte[] zipped = gzip(EMPTY_LIST);
        answer(
                exchange -> {
                    exchange.getResponseHeaders().add("Content-Type", "application/json;x=y");
                    exchange.getResponseHeaders().add("Warning", "299 - \"old\"");
                    exchange.getResponseHeaders().add("Content-Encoding", "gzip");
                    send(exchange, 422, zipped);
                });
        String target = "/api/v1/namespaces/a%20b/pods/x%2F..%2F%5C..?k=a%2Bb%26%C3%BC";

        try (PassedResponse answer =
                Results.value(
                        client("/clusters/c1").pass(passed(CredentialOwner.KUBEMIRROR, target)))) {
            assertThat(answer.code()).isEqualTo(422);
            assertThat(answer.headers())
                    .containsEntry("Content-Type", List.of("application/json;x=y"))
                    .containsEntry("Warning", List.of("299 - \"old\""))
                    .containsEntry("Content-Encoding", List.of("gzip"));
            assertThat(answer.body().readAllBytes()).isEqualTo(zipped);
        }
        HttpExchange request = requestOf("/clusters/c1" + target);
        assertThat(header(request, "Accept")).isEqualTo("application/json;as=Table");
        assertThat(header(request, "Accept-Encoding")).isEqualTo("gzip");
    }

    /** One connection for each, so that neither gets those of the other. */
    @Test
    void request_has_the_credentials_of_the_owner_that_it_names() throws Exception {
        answer(200, EMPTY_LIST);
        KubeClient client = client("");
        for (CredentialOwner owner : List.of(CredentialOwner.CLIENT, CredentialOwner.KUBEMIRROR)) {
            Results.value(client.pass(passed(owner, "/api/v1/pods"))).close();
        }

        assertThat(header(request(), "Authorization")).isEqualTo("Bearer of-the-client");
        assertThat(header(request(), "Authorization")).isNull();
    }

    /** Those of a client are its own concern. */
    @Test
    void rejected_credentials_of_kubemirror_are_its_failure() throws Exception {
        answer(401, "");
        assertThat(
                        Results.failure(
                                client("")
                                        .pass(passed(CredentialOwner.KUBEMIRROR, "/api/v1/pods"))))
                .isInstanceOf(Failure.Refused.class);

        answer(401, "");
        try (PassedResponse answer =
                Results.value(client("").pass(passed(CredentialOwner.CLIENT, "/api/v1/pods")))) {
            assertThat(answer.code()).isEqualTo(401);
        }
    }

    private static PassedRequest passed(CredentialOwner owner, String target) {
        return new PassedRequest(
                owner,
                "GET",
                target,
                Map.of(
                        "Accept", List.of("application/json;as=Table"),
                        "Accept-Encoding", List.of("gzip"),
                        "Authorization", List.of("Bearer of-the-client")),
                null,
                null,
                Duration.ofSeconds(30));
    }

    @Test
    void unresponsive_server_is_unreachable_after_the_read_timeout() throws Exception {
        answer(_ -> hang());
        ClientSettings hasty = ClientLimits.of("1", Duration.ofMillis(50), 1000);

        assertThat(client(hasty).list(FIRST_PAGE, objects::add)).isEqualTo(NO_ANSWER);
    }

    /** The connections that nobody accepts fill the backlog, so no other is established. */
    @Test
    void connection_that_takes_longer_than_the_connect_timeout_is_refused() throws Exception {
        List<SocketChannel> queued = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 10; i++) {
                SocketChannel channel = SocketChannel.open();
                queued.add(channel);
                channel.configureBlocking(false);
                channel.connect(full.getLocalSocketAddress());
            }
            ClientSettings brief =
                    new ClientSettings(
                            "1",
                            Duration.ofMillis(200),
                            Duration.ofSeconds(8),
                            1000,
                            MemoryBudget.unlimited());

            // With the default of ten seconds the read timeout would come first.
            assertThat(
                            UpstreamSamples.client("http://127.0.0.1:" + full.getLocalPort(), brief)
                                    .list(FIRST_PAGE, objects::add))
                    .isEqualTo(
                            Result.failed(
                                    new Failure.Unreachable(
                                            "connecting timed out",
                                            Failure.Unreachable.Kind.REFUSED)));
        } finally {
            for (SocketChannel channel : queued) {
                channel.close();
            }
        }
    }

    @Test
    void closed_port_is_reported_as_a_refused_connection() {
        KubeClient client =
                UpstreamSamples.client("http://127.0.0.1:" + ServerPorts.one(), settings());

        Result<ListMeta> refused =
                Result.failed(
                        new Failure.Unreachable(
                                "connection refused", Failure.Unreachable.Kind.REFUSED));
        assertThat(client.list(FIRST_PAGE, objects::add)).isEqualTo(refused);
        assertThat(client.resolve(new ResourceName("pods"))).isEqualTo(refused);
    }

    @Test
    void server_that_closes_each_connection_does_not_accept_connections() {
        AtomicBoolean closing = new AtomicBoolean();
        LoopbackServer server =
                new LoopbackServer(
                        socket -> {
                            while (!closing.get() && socket.getInputStream().read() >= 0) {
                                // The connection is held until the client closes it.
                            }
                        });
        KubeClient client = UpstreamSamples.client("http://127.0.0.1:" + server.port());
        assertThat(client.acceptsConnections()).as("listening").isTrue();

        closing.set(true);
        // A slow machine may close a connection only after it was believed to stay open.
        WaitLimit.until(() -> !client.acceptsConnections());

        server.close();
        assertThat(client.acceptsConnections()).as("closed").isFalse();
    }

    @Test
    void server_with_an_unresolvable_name_does_not_accept_connections() {
        assertThat(UpstreamSamples.client("http://nobody.invalid:1").acceptsConnections())
                .isFalse();
    }

    @Test
    void discovery_response_that_is_not_json_is_malformed() throws Exception {
        answer(200, "<html>");

        assertThat(Results.failure(client("").resolve(new ResourceName("pods"))))
                .isInstanceOf(Failure.Malformed.class);
    }

    @ParameterizedTest
    @CsvSource({
        "http://user:pa55@h.example:8080/base, http://h.example:8080/base",
        "https://h.example, https://h.example/",
    })
    void server_name_for_logs_omits_user_and_password(String url, String shown) {
        KubeClient client = UpstreamSamples.client(url, settings());

        assertThat(client.description().text()).isEqualTo(shown + " (kubemirror.upstream.server)");
    }

    @Test
    void url_credentials_are_sent_as_basic_authentication() throws Exception {
        answer(200, EMPTY_LIST);
        String url = url().replace("://", "://user:pa55@");

        UpstreamSamples.client(url, settings()).list(FIRST_PAGE, objects::add);

        HttpExchange request = request();
        assertThat(header(request, "Authorization")).isEqualTo("Basic dXNlcjpwYTU1");
        assertThat(header(request, "Host")).doesNotContain("user");
    }

    @Test
    void custom_resource_columns_fields_and_kinds_are_those_of_its_version() throws Exception {
        answer(
                200,
                """
                {"spec":{"versions":[
                  {"name":"v1alpha1","additionalPrinterColumns":[{"name":"Old"}]},
                  {"name":"v1","additionalPrinterColumns":[
                    {"name":"Size","type":"number","format":"double","priority":1,
                     "description":"How big","jsonPath":".spec.size"},
                    {"name":"Host","type":"string","jsonPath":".spec.host"}],
                   "selectableFields":[
                    {"jsonPath":".spec.size"},{"jsonPath":"no path["}]}]},
                 "status":{"acceptedNames":{"listKind":"Drawer"}}}
                """);

        assertThat(client("").definition(UpstreamSamples.WIDGETS))
                .isEqualTo(
                        Result.of(
                                new ResourceDefinition(
                                        List.of(
                                                new PrinterColumn(
                                                        "Size",
                                                        "number",
                                                        "double",
                                                        "How big",
                                                        1,
                                                        ".spec.size"),
                                                new PrinterColumn(
                                                        "Host",
                                                        "string",
                                                        "",
                                                        "Custom resource definition column (in"
                                                                + " JSONPath format): .spec.host",
                                                        0,
                                                        ".spec.host")),
                                        List.of(SelectableField.at("spec.size")),
                                        "Drawer")));
        requestOf("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com");
    }

    @Test
    void missing_columns_are_empty_and_a_forbidden_definition_is_a_failure() throws Exception {
        answer(200, "{\"spec\":{\"versions\":[{\"name\":\"v1\"}]}}");
        assertThat(client("").definition(UpstreamSamples.WIDGETS))
                .isEqualTo(Result.of(ResourceDefinition.NONE));
        answer(403, "{}");
        assertThat(Results.failure(client("").definition(UpstreamSamples.WIDGETS)))
                .isInstanceOf(Failure.Refused.class);
    }

    @Test
    void access_check_sends_a_self_subject_access_review() throws Exception {
        List<String> asked = new ArrayList<>();
        answer(
                exchange -> {
                    asked.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                    send(exchange, 201, "{\"status\":{\"allowed\":false,\"reason\":\"no\"}}");
                });

        assertThat(
                        client("")
                                .access(
                                        new Permission.OnResource(
                                                Verb.WATCH, "apps", "", "deployments", "shop", "")))
                .isEqualTo(Result.of(new AccessReview(false, "no")));

        HttpExchange request = requestOf("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
        assertThat(request.getRequestMethod()).isEqualTo("POST");
        assertThat(asked)
                .containsExactly(
                        "{\"apiVersion\":\"authorization.k8s.io/v1\","
                                + "\"kind\":\"SelfSubjectAccessReview\",\"spec\":"
                                + "{\"resourceAttributes\":{\"verb\":\"watch\",\"group\":\"apps\","
                                + "\"resource\":\"deployments\",\"namespace\":\"shop\"}}}");
    }

    @ParameterizedTest
    @CsvSource({"404, {}, Refused", "201, {}, Malformed", "201, no json, Malformed"})
    void access_check_without_a_decision_is_a_failure(int code, String body, String failure)
            throws Exception {
        answer(code, body);

        Failure outcome =
                Results.failure(
                        client("")
                                .access(
                                        new Permission.OnResource(
                                                Verb.GET, "", "", "pods", "", "")));

        assertThat(outcome.getClass().getSimpleName()).isEqualTo(failure);
    }

    private static ListRequest firstPage(ResourceCollection collection) {
        return new ListRequest(collection, null, 0, null);
    }

    private Result<ListMeta> list() {
        return list(FIRST_PAGE);
    }

    private Result<ListMeta> list(ListRequest request) {
        return client("").list(request, objects::add);
    }

    private KubeClient client(String path) {
        return UpstreamSamples.client(url() + path, settings());
    }

    private static ClientSettings settings() {
        return ClientLimits.usual("1.2.3");
    }
}
