package io.kubemirror.clients;

import static java.util.Objects.requireNonNull;

import module java.base;

/** Runs all informers through the steps of the scenario at the same time. */
final class InformerGroup implements AutoCloseable {

    private final NamespaceFixture namespaceFixture;
    private final Map<ObservedInformer, InformerRun> lives = new EnumMap<>(ObservedInformer.class);

    private InformerGroup(NamespaceFixture namespaceFixture) {
        this.namespaceFixture = namespaceFixture;
    }

    /** Runs the informers whose programs are installed through all steps. */
    static InformerGroup through(NamespaceFixture namespaceFixture) {
        InformerGroup informerGroup = new InformerGroup(namespaceFixture);
        for (ScenarioStep scenarioStep : ScenarioStep.values()) {
            scenarioStep.happen(namespaceFixture);
            if (scenarioStep == ScenarioStep.BEGINNING) {
                informerGroup.gather();
            }
            informerGroup.lives.values().forEach(life -> life.await(scenarioStep));
        }
        return informerGroup;
    }

    private void gather() {
        namespaceFixture.awaitConsistency();
        for (ObservedInformer observedInformer : ObservedInformer.values()) {
            if (observedInformer.isHere()) {
                lives.put(observedInformer, new InformerRun(observedInformer));
            }
        }
    }

    /** Returns the result of an informer at the end of a step. */
    StepResult stepResult(ObservedInformer observedInformer, ScenarioStep scenarioStep) {
        return requireNonNull(
                requireNonNull(lives.get(observedInformer)).stepResults.get(scenarioStep));
    }

    @Override
    public void close() {
        lives.values().forEach(life -> life.informer.close());
    }

    /** The run of one informer. */
    private final class InformerRun {

        private final ObservedInformer observedInformer;
        private final TcpRelay line = namespaceFixture.line();
        private final ReportedPods reportedPods = new ReportedPods();
        private final Informer informer;
        private final Map<ScenarioStep, StepResult> stepResults = new HashMap<>();
        private final Map<String, String> overlooked = new TreeMap<>();
        private int told;
        private int asked;
        private int answered;

        InformerRun(ObservedInformer observedInformer) {
            this.observedInformer = observedInformer;
            informer =
                    observedInformer.join(line.url(), namespaceFixture.namespace(), reportedPods);
        }

        /** Waits until the informer has every expected state, and records it. */
        void await(ScenarioStep scenarioStep) {
            if (scenarioStep.isBlind() && observedInformer.overlooksDeletions()) {
                overlooked.putAll(informer.held());
            }
            Map<String, String> truth = namespaceFixture.truth();
            overlooked.keySet().removeAll(truth.keySet());
            truth.putAll(overlooked);
            reportedPods.await(
                    () -> reportedPods.state().equals(truth) && informer.held().equals(truth));
            stepResults.put(scenarioStep, stepResult(truth));
        }

        private StepResult stepResult(Map<String, String> known) {
            List<String> events = reportedPods.told();
            String requests = line.asked();
            String answers = line.answered();
            StepResult stepResult =
                    new StepResult(
                            known,
                            informer.held(),
                            reportedPods.state(),
                            List.copyOf(events.subList(told, events.size())),
                            requests.substring(asked),
                            answers.substring(answered));
            told = events.size();
            asked = requests.length();
            answered = answers.length();
            return stepResult;
        }
    }
}
