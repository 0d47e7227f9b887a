package io.kubemirror.feature.trace;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.ChangeTracer.Trace;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.samplers.Sampler;

import org.junit.jupiter.api.Test;

/** Tests which changes and deliveries are followed. */
class ChangeSpansTest {

    private static final Scope PODS = scope("a", LabelSelector.everything(), false);

    private long nanos;
    private final ChangeSpans spans = spans(Sampler.alwaysOn());

    private ChangeSpans spans(Sampler sampler) {
        SdkTracerProvider provider = SdkTracerProvider.builder().setSampler(sampler).build();
        OtelTracer tracer =
                new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), _ -> {});
        return new ChangeSpans(tracer, () -> Instant.EPOCH, () -> nanos);
    }

    private static Scope scope(String namespace, LabelSelector labels, boolean union) {
        Selection selection = new Selection(namespace, labels, FieldSelector.everything());
        return new Scope(new ResourceName("pods"), selection, Extent.WHOLE, union);
    }

    private static Revision revision(int number) {
        return new Revision(Integer.toString(number));
    }

    private void arrive(int number) {
        try (Trace trace = spans.arrived(PODS, "added", revision(number))) {
            trace.lag(null);
        }
    }

    @Test
    void delivery_takes_the_time_since_the_arrival() {
        nanos = 1_000;
        arrive(1);
        nanos = 5_000;
        List<Long> recorded = new ArrayList<>();

        find(PODS, 1).delivered(recorded::add);

        assertThat(recorded).containsExactly(4_000L);
    }

    @Test
    void ten_deliveries_of_a_change_are_recorded() {
        arrive(1);
        List<Long> recorded = new ArrayList<>();

        for (int i = 0; i < 12; i++) {
            find(PODS, 1).delivered(recorded::add);
        }

        assertThat(recorded).hasSize(10);
    }

    @Test
    void newest_changes_are_followed() {
        for (int i = 1; i <= 300; i++) {
            arrive(i);
        }

        assertThat(spans.find(PODS, revision(44))).isNull();
        assertThat(spans.find(PODS, revision(45))).isNotNull();
        assertThat(spans.find(PODS, revision(300))).isNotNull();
    }

    @Test
    void union_shows_the_change_of_its_member_and_another_selection_does_not() throws Rejection {
        arrive(1);
        Scope union = scope("", LabelSelector.everything(), true);
        Scope other = scope("a", LabelSelectorParser.parse("app=web"), false);

        assertThat(spans.find(union, revision(1))).isSameAs(find(PODS, 1));
        assertThat(spans.find(other, revision(1))).isNull();
    }

    @Test
    void change_that_is_not_in_the_sample_is_not_followed() {
        ChangeSpans none = spans(Sampler.alwaysOff());

        assertThat(none.arrived(PODS, "added", revision(1))).isSameAs(Trace.NONE);
        assertThat(none.find(PODS, revision(1))).isNull();
    }

    private Trace find(Scope scope, int number) {
        return Objects.requireNonNull(spans.find(scope, revision(number)));
    }
}
