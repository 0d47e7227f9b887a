package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests unmodified informers of other projects, while connections work and after they break.
 *
 * <p>A pod that is deleted during a watch is modified first, because it gets a deletion timestamp.
 */
@WithApiServer
@TestInstance(Lifecycle.PER_CLASS)
class InformersTest {

    private static final String GONE = "\"code\":410";

    private final NamespaceFixture namespaceFixture;
    private final InformerGroup informerGroup;

    InformersTest(ApiServer server, TestNamespace namespace) {
        namespaceFixture = new NamespaceFixture(server, namespace.name());
        informerGroup = InformerGroup.through(namespaceFixture);
    }

    @AfterAll
    void close() {
        informerGroup.close();
        namespaceFixture.close();
    }

    static Stream<Arguments> steps() {
        return Stream.of(ObservedInformer.values())
                .flatMap(
                        informer ->
                                Stream.of(ScenarioStep.values())
                                        .map(step -> arguments(informer, step)));
    }

    /** Several changes of an object are one event for a client that has not watched meanwhile. */
    @ParameterizedTest
    @MethodSource("steps")
    void informer_misses_nothing_of_any_step(ObservedInformer informer, ScenarioStep step) {
        List<String> told = stepResult(informer, step).told();

        if (step == ScenarioStep.BEGINNING) {
            assertThat(told).containsExactlyInAnyOrderElementsOf(step.told());
        } else if (step.isBlind()) {
            assertThat(told)
                    .containsAll(
                            step.told().stream()
                                    .filter(
                                            event ->
                                                    !event.startsWith("deleted ")
                                                            || !informer.overlooksDeletions())
                                    .toList());
        } else {
            assertThat(told).isEqualTo(step.told());
        }
    }

    @ParameterizedTest
    @EnumSource
    void informer_sends_the_expected_kind_of_requests(ObservedInformer observedInformer) {
        String asked =
                stepResult(observedInformer, ScenarioStep.BEGINNING).asked()
                        + stepResult(observedInformer, ScenarioStep.CHANGES).asked();

        assertThat(asked).contains(observedInformer.sign());
    }

    @ParameterizedTest
    @EnumSource
    void informer_whose_revision_expires_learns_of_each_object_once(
            ObservedInformer observedInformer) {
        StepResult stepResult = stepResult(observedInformer, ScenarioStep.EXPIRY);

        assertThat(stepResult.answered().contains(GONE)).isEqualTo(observedInformer.resumes());
        assertThat(stepResult.told()).containsOnlyOnce("added added-meanwhile", "changed changed");
    }

    /** The client misses deletions with the API server too, so kubemirror cannot fix it. */
    @Test
    void fabric8_watch_list_misses_deletions_with_the_real_api_server_too() {
        ApiServer server = namespaceFixture.server();
        assumeThat(server.url().getScheme()).isEqualTo("http");
        ReportedPods reportedPods = new ReportedPods();
        namespaceFixture.create("kept");
        try (TcpRelay line = lineTo(server);
                Informer informer =
                        ObservedInformer.FABRIC8_WATCH_LIST.join(
                                line.url(), namespaceFixture.namespace(), reportedPods)) {
            assertThat(reportedPods.await(() -> reportedPods.state().containsKey("kept"))).isTrue();
            line.cut();
            namespaceFixture.delete("kept");
            namespaceFixture.create("new");
            line.lead(server.url().getPort());
            assertThat(reportedPods.await(() -> reportedPods.told().contains("added new")))
                    .isTrue();
            namespaceFixture.change("new", 1);

            assertThat(reportedPods.await(() -> reportedPods.told().contains("changed new")))
                    .isTrue();
            assertThat(informer.held()).containsKeys("kept", "new");
        }
    }

    /** Checks that cache and events equal the state of the API server. */
    private StepResult stepResult(ObservedInformer observedInformer, ScenarioStep scenarioStep) {
        observedInformer.demand();
        StepResult stepResult = informerGroup.stepResult(observedInformer, scenarioStep);
        assertThat(stepResult.held()).as("cache").isEqualTo(stepResult.known());
        assertThat(stepResult.state()).as("events").isEqualTo(stepResult.known());
        return stepResult;
    }

    private static TcpRelay lineTo(ApiServer server) {
        TcpRelay line = new TcpRelay();
        line.lead(server.url().getPort());
        return line;
    }
}
