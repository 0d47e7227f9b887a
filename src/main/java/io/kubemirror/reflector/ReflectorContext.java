package io.kubemirror.reflector;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.source.Source;

/** What the handlers of the states of one reflector share. Immutable, unlike its parts. */
final class ReflectorContext {

    final Source source;
    final MirrorWriter writer;
    final ReflectorSettings settings;
    final ReflectorEnvironment environment;
    final ReflectorCounts counts;
    final StatusReporter reporter;
    final RetryState retryState;
    final ServerCapabilities capabilities;
    final RequestPacer pacer;
    final ResyncRequest resyncRequest;
    final FailureHandler failures;
    final UpstreamRequests requests;
    final Synchronizer synchronizer;

    ReflectorContext(
            Source source,
            MirrorWriter writer,
            ReflectorSettings settings,
            ReflectorEnvironment environment,
            ReflectorCounts counts) {
        this.source = source;
        this.writer = writer;
        this.settings = settings;
        this.environment = environment;
        this.counts = counts;
        reporter = new StatusReporter(writer, environment, counts);
        retryState = new RetryState(environment.clock(), environment.random(), settings.timeouts());
        capabilities = new ServerCapabilities(settings, environment.clock());
        pacer = new RequestPacer(environment.clock(), settings.timeouts().minResyncInterval());
        resyncRequest =
                new ResyncRequest(
                        environment.clock(), environment.random(), settings.resyncPeriod());
        failures = new FailureHandler(this);
        requests = new UpstreamRequests(this);
        synchronizer = new Synchronizer(this);
    }
}
