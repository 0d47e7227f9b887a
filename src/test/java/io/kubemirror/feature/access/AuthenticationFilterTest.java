package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.WatchClient;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests requests and watches where authentication is configured (list-watch.md#st-5). */
@ExtendWith(OutputCaptureExtension.class)
class AuthenticationFilterTest {

    private static final Duration ALLOWED = Duration.ofMinutes(1);
    private static final Duration GRACE = Duration.ofMinutes(5);

    private final ScriptedReviews reviews = new ScriptedReviews();
    private final AtomicLong now = new AtomicLong();

    @AutoClose
    private final ApiFixture served =
            ApiFixture.of(Map.of("access", reviews.rechecking(now::get, ALLOWED, GRACE)), "pods");

    private final RestClient client = served.client();

    AuthenticationFilterTest() {
        ApiSamples.fillWithGoldenPods(served.writer());
        reviews.know("t-anna", "anna");
        reviews.permit("anna");
        reviews.know("t-bob", "bob");
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/access/authorizations.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void request_is_served_or_unauthorized_by_its_credentials(
            String authorization, String path, int code, CapturedOutput output) {
        RestResponse answer =
                authorization.isEmpty()
                        ? client.get(path)
                        : client.get(path, "Authorization", authorization);

        assertThat(answer.code()).isEqualTo(code);
        assertThat(output).doesNotContain("t-nobody").doesNotContain("t-anna");
        if (code == 401) {
            assertThat(answer.body())
                    .isEqualTo(
                            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                    + "\"status\":\"Failure\",\"message\":\"Unauthorized\","
                                    + "\"reason\":\"Unauthorized\",\"code\":401}\n");
            assertThat(answer.header("Cache-Control")).isEqualTo("no-cache, private");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/livez", "/readyz", "/healthz?verbose"})
    void health_endpoints_require_no_authentication(String path) {
        assertThat(client.get(path).code()).isNotEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/pods | pods is forbidden: User \\\"bob\\\" cannot list resource"
                        + " \\\"pods\\\" in API group \\\"\\\" at the cluster scope: not today |"
                        + " {\"kind\":\"pods\"}",
                "/kubemirror/v1/watch?resource=deployments.apps&resource=pods&namespace=a |"
                    + " deployments.apps is forbidden: User \\\"bob\\\" cannot watch resource"
                    + " \\\"deployments\\\" in API group \\\"apps\\\" in the namespace \\\"a\\\":"
                    + " not today | {\"group\":\"apps\",\"kind\":\"deployments\"}",
                "/version | forbidden: User \\\"bob\\\" cannot get path \\\"/version\\\": not today"
                        + " | {}"
            })
    void forbidden_response_is_like_api_server(String path, String message, String details) {
        RestResponse answer = client.get(path, "Authorization", "Bearer t-bob");

        assertThat(answer.code()).isEqualTo(403);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                + "\"status\":\"Failure\",\"message\":\""
                                + message
                                + "\",\"reason\":\"Forbidden\",\"details\":"
                                + details
                                + ",\"code\":403}\n");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    }

    /** Discovery names them, and has a permission of its own. */
    @Test
    void error_about_a_type_that_is_not_mirrored_names_no_other_types() {
        assertThat(client.get("/api/v1/secrets", "Authorization", "bearer t-anna").body())
                .contains("kubemirror does not mirror secrets; add it to kubemirror.resources");
    }

    @Test
    void write_requests_are_rejected_even_if_reading_is_permitted() {
        assertThat(
                        client.send("POST", "/api/v1/pods", null, "Authorization", "Bearer t-anna")
                                .code())
                .isEqualTo(405);
        assertThat(
                        client.send("DELETE", "/api/v1/pods", null, "Authorization", "Bearer t-bob")
                                .code())
                .isEqualTo(403);
    }

    @Test
    void impersonation_is_rejected() {
        RestResponse answer =
                client.get(
                        "/api/v1/pods",
                        "Authorization",
                        "Bearer t-anna",
                        "impersonate-user",
                        "bob");

        assertThat(answer.code()).isEqualTo(400);
        assertThat(answer.body()).contains("kubemirror does not support impersonation");
    }

    @Test
    void unavailable_access_reviews_return_503_with_retry_after() {
        reviews.away(true);

        RestResponse answer = client.get("/api/v1/pods", "Authorization", "Bearer t-anna");

        assertThat(answer.code()).isEqualTo(503);
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(answer.body())
                .contains("cannot review access: connection refused")
                .contains("\"reason\":\"ServiceUnavailable\"");
    }

    /** Otherwise the request stays open, and its client waits. */
    @Test
    void request_whose_check_ends_with_an_error_gets_500(CapturedOutput output) {
        ScriptedAccess failing = new ScriptedAccess();
        failing.before(
                () -> {
                    throw new LinkageError("for a test");
                });
        try (ApiFixture without = ApiFixture.of(Map.of("access", failing), "pods")) {
            RestResponse answer =
                    without.client().get("/api/v1/pods", "Authorization", "Bearer t-anna");

            assertThat(answer.code()).isEqualTo(500);
            assertThat(output).contains("Cannot authorize a request");
        }
    }

    @Test
    void watch_ends_when_its_permission_is_revoked_and_others_continue() {
        reviews.know("t-carl", "carl");
        reviews.permit("carl");
        try (WatchClient anna = watch("t-anna");
                WatchClient carl = watch("t-carl")) {
            reviews.forbid("anna");
            pass(ALLOWED);
            expectEnd(anna);

            served.writer().upsert(ApiSamples.object("a", "late", 150));
            carl.expectRevision(150);
        }
        assertThat(client.get("/api/v1/pods", "Authorization", "Bearer t-anna").code())
                .isEqualTo(403);
    }

    @Test
    void watch_whose_recheck_ends_with_an_exception_ends_and_later_ones_are_checked() {
        try (WatchClient anna = watch("t-anna")) {
            assertThat(anna.brief()).startsWith("ADDED");
            reviews.defective(true);
            pass(ALLOWED);

            expectEnd(anna);
        }
        reviews.defective(false);
        // A review that is still failing answers all that ask for the same meanwhile.
        WaitLimit.until(() -> isAnswered("t-anna"));
        try (WatchClient anna = watch("t-anna")) {
            assertThat(anna.brief()).startsWith("ADDED");
            reviews.forget("t-anna");
            pass(ALLOWED);

            expectEnd(anna);
        }
    }

    private static void expectEnd(WatchClient watch) {
        String line;
        do {
            line = watch.next();
        } while (line.startsWith("{"));
        assertThat(line).isEqualTo(WatchClient.CLEAN_END);
    }

    private boolean isAnswered(String token) {
        try (WatchClient opened = watch(token)) {
            return opened.code() == 200;
        }
    }

    private WatchClient watch(String token) {
        return served.watch("/api/v1/pods?watch=1", "Authorization", "Bearer " + token);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }
}
