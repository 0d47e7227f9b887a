package io.kubemirror.clients;

import module java.base;

/**
 * The result of a client at the end of a step.
 *
 * @param known the expected pods with their revisions: those on the API server, and those whose
 *     deletion the client misses
 * @param held the pods in the client's cache
 * @param state the pods that follow from the client's events
 * @param told the events since the previous step
 * @param asked the requests since then
 * @param answered the responses since then
 */
record StepResult(
        Map<String, String> known,
        Map<String, String> held,
        Map<String, String> state,
        List<String> told,
        String asked,
        String answered) {}
