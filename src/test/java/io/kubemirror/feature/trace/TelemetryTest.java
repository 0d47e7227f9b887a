package io.kubemirror.feature.trace;

import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.mirror.ChangeTracer;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Tests traces and metrics as a collector receives them by OTLP. */
@Timeout(120)
class TelemetryTest {

    private final Queue<Span> spans = new ConcurrentLinkedQueue<>();
    private final Queue<String> metrics = new ConcurrentLinkedQueue<>();
    private final ScriptedApiServer server = ScriptedApiServer.create();
    private HttpServer collector;

    @BeforeEach
    void collect() throws IOException {
        collector =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", this::traces);
        collector.createContext("/v1/metrics", this::metrics);
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
        server.close();
    }

    private void traces(HttpExchange exchange) throws IOException {
        ExportTraceServiceRequest.parseFrom(exchange.getRequestBody())
                .getResourceSpansList()
                .stream()
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .forEach(scope -> spans.addAll(scope.getSpansList()));
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    private void metrics(HttpExchange exchange) throws IOException {
        ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody())
                .getResourceMetricsList()
                .stream()
                .flatMap(resource -> resource.getScopeMetricsList().stream())
                .flatMap(scope -> scope.getMetricsList().stream())
                .forEach(metric -> metrics.add(metric.getName()));
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    private ConfigurableApplicationContext start(String... more) {
        String url = "http://127.0.0.1:" + collector.getAddress().getPort();
        return ApplicationLauncher.mirroring(
                server.url(),
                "pods",
                ApplicationLauncher.and(
                        more,
                        "management.opentelemetry.tracing.export.otlp.endpoint="
                                + url
                                + "/v1/traces",
                        "management.opentelemetry.tracing.export.schedule-delay=50ms",
                        "management.otlp.metrics.export.url=" + url + "/v1/metrics",
                        "management.otlp.metrics.export.step=1s"));
    }

    private ConfigurableApplicationContext traced() {
        return start(
                "management.opentelemetry.enabled=true",
                "management.tracing.sampling.probability=1");
    }

    /** Has a watch receive a pod, and returns what kubemirror then exposes for Prometheus. */
    private String deliver(ConfigurableApplicationContext kubemirror) throws Exception {
        try (WatchReader watch =
                client(kubemirror).watch(PODS.collectionPath() + "?watch=1&resourceVersion=0")) {
            server.create(Manifests.pod("a", "secret-name").label("l", "secret-label"));
            watch.next();
        }
        return scrape(kubemirror);
    }

    private static String scrape(ConfigurableApplicationContext kubemirror) throws Exception {
        URI url =
                ApplicationLauncher.url(kubemirror, "local.management.port")
                        .resolve("/actuator/prometheus");
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest scrape =
                    HttpRequest.newBuilder(url)
                            .header("Accept", "application/openmetrics-text; version=1.0.0")
                            .build();
            return http.send(scrape, BodyHandlers.ofString()).body();
        }
    }

    private static RestClient client(ConfigurableApplicationContext kubemirror) {
        return ApplicationLauncher.api(kubemirror).patient();
    }

    private Optional<Span> span(String name) {
        return spans.stream().filter(span -> span.getName().equals(name)).findFirst();
    }

    private static String attribute(Span span, String key) {
        return span.getAttributesList().stream()
                .filter(attribute -> attribute.getKey().equals(key))
                .map(attribute -> attribute.getValue().getStringValue())
                .findFirst()
                .orElse("");
    }

    @Test
    void collector_receives_spans_from_the_event_to_its_delivery() throws Exception {
        try (var kubemirror = traced()) {
            deliver(kubemirror);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(
                            () ->
                                    span("kubemirror.change").isPresent()
                                            && span("kubemirror.delivery").isPresent());

            Span change = span("kubemirror.change").orElseThrow();
            Span delivery = span("kubemirror.delivery").orElseThrow();
            assertThat(delivery.getTraceId()).isEqualTo(change.getTraceId());
            assertThat(delivery.getParentSpanId()).isEqualTo(change.getSpanId());
            assertThat(change.getParentSpanId().isEmpty()).isTrue();
            assertThat(change.getEndTimeUnixNano())
                    .isGreaterThanOrEqualTo(change.getStartTimeUnixNano());
            assertThat(delivery.getEndTimeUnixNano())
                    .isGreaterThanOrEqualTo(delivery.getStartTimeUnixNano());
            for (Span span : List.of(change, delivery)) {
                assertThat(attribute(span, "kubemirror.resource")).isEqualTo("pods");
                assertThat(attribute(span, "kubemirror.mirror")).isEqualTo("pods");
                assertThat(attribute(span, "kubemirror.event")).isEqualTo("added");
            }
            assertThat(attribute(change, "kubemirror.revision")).isNotEmpty();
            assertThat(spans.toString()).doesNotContain("secret-name", "secret-label");
        }
    }

    @Test
    void collector_receives_metrics() {
        try (var _ = start("management.opentelemetry.enabled=true")) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> metrics.contains("kubemirror.objects"));
        }
    }

    @Test
    void histograms_have_exemplars_of_their_spans() throws Exception {
        try (var kubemirror = traced()) {
            deliver(kubemirror);
            // A delivery is recorded once it is sent.
            Awaitility.await()
                    .atMost(WaitLimit.GENEROUS)
                    .untilAsserted(
                            () ->
                                    assertThat(deliveries(scrape(kubemirror)))
                                            .anyMatch(
                                                    line ->
                                                            line.matches(
                                                                    ".* # \\{span_id=\"[0-9a-f]{16}\",trace_id=\"[0-9a-f]{32}\"}.*")));
            // The lag is recorded once readers can see the change, which may be after its delivery.
            Awaitility.await()
                    .atMost(WaitLimit.GENEROUS)
                    .untilAsserted(
                            () ->
                                    assertThat(scrape(kubemirror))
                                            .containsPattern(
                                                    "kubemirror_sync_lag_seconds_bucket\\{.*} \\d+"
                                                            + " # \\{span_id="));
        }
    }

    private static List<String> deliveries(String scraped) {
        return scraped.lines()
                .filter(line -> line.startsWith("kubemirror_change_delivery_seconds_bucket"))
                .toList();
    }

    @Test
    void nothing_is_traced_with_a_probability_of_zero() throws Exception {
        try (var kubemirror =
                start(
                        "management.opentelemetry.enabled=true",
                        "management.tracing.sampling.probability=0")) {
            String scraped = deliver(kubemirror);

            assertThat(scraped).contains("kubemirror_change_delivery_seconds_count");
            assertThat(deliveries(scraped)).isNotEmpty().allMatch(line -> line.endsWith(" 0"));
        }
        assertThat(spans).isEmpty();
    }

    @Test
    void telemetry_is_off_by_default() throws Exception {
        try (var kubemirror = start()) {
            String scraped = deliver(kubemirror);

            assertThat(scraped).doesNotContain("kubemirror_change_delivery");
            assertThat(kubemirror.getBean(ChangeTracer.class)).isSameAs(ChangeTracer.NONE);
            Stream.of(Tracer.class, OpenTelemetry.class)
                    .forEach(type -> assertThat(kubemirror.getBeansOfType(type)).isEmpty());
            assertThat(kubemirror.getBeanDefinitionNames())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("otlp"));
        }
        assertThat(spans).isEmpty();
        assertThat(metrics).isEmpty();
    }
}
