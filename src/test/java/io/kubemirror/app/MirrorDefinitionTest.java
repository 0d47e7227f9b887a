package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.watch.WatchProperties;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.DurationRange;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.RetrySettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorSettings.WatchForm;
import io.kubemirror.source.StoredFields;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MirrorDefinitionTest {

    private final Map<String, String> settings = new LinkedHashMap<>();

    @Test
    void resource_name_alone_mirrors_all_namespaces_with_defaults() {
        set("resources[0].resource", "pods");

        assertThat(definitions())
                .singleElement()
                .satisfies(
                        definition -> {
                            assertThat(definition.scope()).hasToString("pods");
                            assertThat(definition.settings())
                                    .isEqualTo(
                                            ReflectorEnvironments.settings(
                                                    Strategy.AUTO,
                                                    500,
                                                    StoredFields.ALL,
                                                    List.of(),
                                                    ReflectorEnvironments.timeouts(
                                                            Duration.ZERO, Duration.ofMinutes(5))));
                        });
    }

    @Test
    void selectors_are_part_of_the_mirror_scope() {
        set("resources[0].resource", "pods");
        set("resources[0].label-selector", "app=web");
        set("resources[1].resource", "pods");
        set("resources[1].field-selector", "spec.nodeName=a");
        set("resources[2].resource", "pods");

        assertThat(definitions())
                .extracting(definition -> definition.scope().selection())
                .containsExactly(
                        new Selection("", labels("app=web"), FieldSelector.everything()),
                        new Selection("", LabelSelector.everything(), fields("spec.nodeName=a")),
                        Selection.everything());
        assertThat(definitions())
                .extracting(definition -> definition.scope().toString())
                .containsExactly("pods[app=web;]", "pods[;spec.nodeName=a]", "pods");
    }

    @Test
    void limits_of_a_resource_are_configurable() {
        set("resources[0].max-objects", "10");
        set("resources[0].max-bytes", "10KB");

        assertThat(definitions().getFirst().limits())
                .isEqualTo(new MirrorMemory.Limits(10, 10 << 10));
    }

    private static ReadPolicy reads(ReadMode mode) {
        return new ReadPolicy(mode, true, Duration.ofSeconds(90), "", List.of());
    }

    @Test
    void what_repeats_values_of_dropped_fields_is_dropped() {
        set("resources[0].resource", "secrets");
        set("resources[0].drop-fields[0]", "data");
        set("allow-secrets", "true");

        assertThat(theFields())
                .isEqualTo(
                        "drop=\"data,metadata.managedFields,"
                            + "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']\"");
        set("resources[0].keep-fields[0]", "data");
        set("resources[0].drop-fields[0]", "data.key");
        assertThat(theFields()).isEqualTo("keep=\"data\", drop=\"data.key\"");
    }

    private String theFields() {
        return theSettings().stored().text();
    }

    @Test
    void history_window_is_configurable() {
        set("history.min-events", "2");
        set("history.max-events", "30");
        set("history.span", "4m");
        set("history.max-bytes", "5KB");

        assertThat(window()).isEqualTo(new Window(2, 30, Duration.ofMinutes(4), 5 << 10));
    }

    @Test
    void defaults_apply_to_every_resource_that_sets_nothing() {
        set("defaults.strategy", "list-watch");
        set("defaults.page-size", "7");
        set("defaults.reads", "verify");
        set("defaults.staleness-bound", "90s");
        set("resources[0].resource", "pods");
        set("resources[1].resource", "nodes");
        set("resources[1].strategy", "auto");
        set("resources[1].reads", "verify");

        MirrorDefinition pods = definitions().getFirst();
        assertThat(pods.settings().strategy()).isEqualTo(Strategy.LIST_WATCH);
        assertThat(pods.settings().pageSize()).isEqualTo(7);
        assertThat(pods.reads()).isEqualTo(reads(ReadMode.VERIFY));
        MirrorDefinition nodes = definitions().getLast();
        assertThat(nodes.settings().strategy()).isEqualTo(Strategy.AUTO);
        assertThat(nodes.reads()).isEqualTo(reads(ReadMode.VERIFY));
    }

    @Test
    void upstream_settings_reach_every_reflector() {
        set("upstream.watch-timeout", "20s..30s");
        set("upstream.bookmarks", "false");
        set("upstream.retry.base-delay", "2s");
        set("upstream.retry.max-delay", "3s");
        set("upstream.retry.max-errors-per-revision", "6");
        set("upstream.audit-interval", "90");

        assertThat(theSettings().watches())
                .isEqualTo(
                        new WatchForm(
                                new DurationRange(Duration.ofSeconds(20), Duration.ofSeconds(30)),
                                false));
        assertThat(theSettings().timeouts())
                .isEqualTo(
                        new ReflectorTimeouts(
                                Duration.ZERO,
                                Duration.ofSeconds(90),
                                Duration.ofSeconds(30),
                                new RetrySettings(
                                        Duration.ofSeconds(2),
                                        Duration.ofSeconds(3),
                                        Duration.ofMinutes(2),
                                        6)));
    }

    @ParameterizedTest
    @CsvSource({"5m,300,300", "5m..10m,300,600", "90,90,90", "PT1M..90s,60,90"})
    void range_of_durations_may_be_a_single_one(String text, long shortest, long longest) {
        set("upstream.watch-timeout", text);

        assertThat(theSettings().watches().timeout())
                .isEqualTo(
                        new DurationRange(
                                Duration.ofSeconds(shortest), Duration.ofSeconds(longest)));
    }

    @Test
    void watches_of_clients_have_the_timing_of_the_api_server_and_are_configurable() {
        assertThat(bound().watches()).isEqualTo(ApiFixture.WATCHES);

        set("watches.bookmark-interval", "5s");
        set("watches.timeout", "1m..2m");
        set("watches.batch.max-events", "10");
        set("watches.batch.max-delay", "50ms");
        WatchProperties watches = bound().watches();
        assertThat(watches.bookmarkInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(watches.timeout())
                .isEqualTo(new DurationRange(Duration.ofMinutes(1), Duration.ofMinutes(2)));
        assertThat(watches.batch()).isEqualTo(new BatchProperties(10, Duration.ofMillis(50)));
    }

    @Test
    void start_spread_applies_only_to_several_reflectors() {
        set("resources[0].resource", "pods");
        assertThat(theSettings().timeouts().startSpread()).isZero();

        set("resources[0].namespaces", "a,b");
        assertThat(theSettings().timeouts().startSpread()).isEqualTo(Duration.ofMillis(500));
    }

    private static LabelSelector labels(String text) {
        return Unchecked.call(() -> LabelSelectorParser.parse(text));
    }

    private static FieldSelector fields(String text) {
        return Unchecked.call(() -> FieldSelectorParser.parse(text));
    }

    private ReflectorSettings theSettings() {
        return definitions().getFirst().settings();
    }

    private List<MirrorDefinition> definitions() {
        return MirrorDefinition.all(BoundProperties.of(settings));
    }

    private Window window() {
        return definitions().getFirst().window();
    }

    private void set(String name, String value) {
        settings.put("kubemirror." + name, value);
    }

    private MirrorProperties bound() {
        return BoundProperties.of(settings);
    }
}
