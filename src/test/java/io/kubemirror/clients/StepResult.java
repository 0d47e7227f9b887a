package io.kubemirror.clients;

import java.util.List;
import java.util.Map;

/**
 * The result of a client at the end of a step.
 *
 * @param known the pods that it must know, with their revisions: those on the API server, and those
 *     whose deletion it overlooks
 * @param held the pods in the client's cache
 * @param state the pods as the client's events tell them
 * @param told the events since the chapter before
 * @param asked what the client asked for since then
 * @param answered what it was answered since then
 */
record StepResult(
        Map<String, String> known,
        Map<String, String> held,
        Map<String, String> state,
        List<String> told,
        String asked,
        String answered) {}
