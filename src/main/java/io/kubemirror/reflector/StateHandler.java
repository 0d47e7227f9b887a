package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Source;
import io.kubemirror.source.WatchStream;

/** Handles states of a reflector, with what all handlers of that reflector share. */
abstract class StateHandler {

    final Source source;
    final MirrorWriter writer;
    final ReflectorSettings settings;
    final ReflectorCounts counts;
    final StatusReporter reporter;
    final RetryState retryState;
    final ServerCapabilities capabilities;
    final RequestPacer lists;
    final ResyncRequest resyncRequest;
    final SchemaCheck schema;
    final FailureHandler failures;
    final UpstreamRequests requests;

    StateHandler(StateMachine machine) {
        source = machine.source;
        writer = machine.writer;
        settings = machine.settings;
        counts = machine.counts;
        reporter = machine.reporter;
        retryState = machine.retryState;
        capabilities = machine.capabilities;
        lists = machine.lists;
        resyncRequest = machine.resyncRequest;
        schema = machine.schema;
        failures = machine.failures;
        requests = machine.requests;
    }

    /**
     * Returns the state for the stream of a watch that was accepted, or of a watch-list whose
     * initial events are complete (list-watch.md#up-27).
     */
    ReflectorState.Watching watching(
            ResourceCollection collection, WatchStream stream, Instant opened) {
        reporter.watching();
        resyncRequest.waitOn(stream);
        return new ReflectorState.Watching(collection, stream, opened, false);
    }
}
