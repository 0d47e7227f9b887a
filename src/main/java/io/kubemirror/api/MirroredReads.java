package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.ListExtension.ListExtensions;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.NamespaceLimit;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.api.read.ReadPlan;
import io.kubemirror.api.read.ReadPlan.ReadPlanner;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.mirror.Mirror;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the mirrors for a read, and lets another server answer what they do not cover or cannot
 * render, if one may.
 *
 * <p>The mirrors are those that were found when it was decided who answers. One that a reload has
 * removed since does not advance any more, so what needs a later state comes from the API server,
 * or the client tries again.
 */
final class MirroredReads {

    private static final Logger log = LoggerFactory.getLogger(MirroredReads.class);

    private final OnDemandTypes onDemand;
    private final MirrorDirectory directory;
    private final ListExtensions extensions;
    private final DocumentEncoder encoder;
    private final ReadPlanner planner;
    private final RequestExecutor executor;

    /**
     * Creates an instance.
     *
     * @param encoder knows what mirrors can render
     * @param planner knows what else may answer
     * @param executor charges what another server answers
     */
    MirroredReads(
            OnDemandTypes onDemand,
            MirrorDirectory directory,
            ListExtensions extensions,
            DocumentEncoder encoder,
            ReadPlanner planner,
            RequestExecutor executor) {
        this.onDemand = onDemand;
        this.directory = directory;
        this.extensions = extensions;
        this.encoder = encoder;
        this.planner = planner;
        this.executor = executor;
    }

    /** Answers a read from the mirrors of a resource. */
    @FunctionalInterface
    interface Read {

        /** As {@link RequestExecutor.Answer#to}. */
        Optional<WatchConnection> from(MirroredResource resource, Exchange exchange)
                throws Rejection, IOException, InterruptedException;
    }

    /**
     * Answers a get, a list, or a watch.
     *
     * @param admission has the mirrors of the resource
     * @param read answers if they cover it
     * @return the watch that is the rest of the response, if there is one
     * @throws Rejection if the request is refused
     * @throws IOException if the client or the other server has disconnected
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Optional<WatchConnection> answer(
            RequestPath.OfResource path, Admission admission, Exchange exchange, Read read)
            throws Rejection, IOException, InterruptedException {
        boolean waits = path.isWatch(exchange.query()) || extensions.areForMirror(exchange.query());
        return isFirst(path.resource(), waits, admission.mirrors())
                ? answerFirst(path, waits, admission, exchange, read)
                : answer(
                        path,
                        checked(find(path, admission.mirrors(), admission), exchange),
                        exchange,
                        read);
    }

    /**
     * Whether a request has to start the mirrors of a type on demand, or begins together with the
     * one that does.
     */
    private boolean isFirst(RequestPath.Resource resource, boolean waits, List<Mirror> mirrors) {
        boolean present = onDemand.use(resource, waits);
        boolean current = !mirrors.isEmpty() && mirrors.stream().noneMatch(Mirror::isRemoved);
        return !present || (!current && onDemand.serves(resource));
    }

    private MirroredResource find(
            RequestPath.OfResource path, List<Mirror> mirrors, Admission admission)
            throws Rejection {
        boolean named = path instanceof RequestPath.Item;
        MirroredResource found =
                directory.find(mirrors, path.resource(), !path.namespace().isEmpty(), named);
        return admission.limit().map(found::limitedTo).orElse(found);
    }

    /** Returns what else answers. It does not limit its answers, so a limited one is not its. */
    private ReadPlan.@Nullable FromOther beyond(
            RequestPath.Resource resource, Optional<NamespaceLimit> limit) {
        boolean limited = limit.flatMap(NamespaceLimit::namespaces).isPresent();
        return limited ? null : planner.beyond(resource).orElse(null);
    }

    private static MirroredResource checked(MirroredResource resource, Exchange exchange)
            throws Rejection {
        exchange.note().resource(resource.name());
        // Every response from here on warns about a deprecated type, including errors.
        resource.warnings().forEach(warning -> exchange.response().addHeader("Warning", warning));
        Optional.ofNullable(resource.limit())
                .flatMap(NamespaceLimit::namespaces)
                .filter(names -> !names.isEmpty())
                .ifPresent(names -> StalenessPolicy.describe(names, exchange.response()));
        exchange.requireGet();
        return resource;
    }

    /**
     * Reads a type that has no mirror yet. The mirror reads the API server after this request, so
     * that they do not compete for it (list-watch.md#od-1).
     */
    private Optional<WatchConnection> answerFirst(
            RequestPath.OfResource path,
            boolean waits,
            Admission admission,
            Exchange exchange,
            Read read)
            throws Rejection, IOException, InterruptedException {
        exchange.requireGet();
        RequestPath.Resource resource = path.resource();
        ReadPlan.FromOther other = beyond(resource, admission.limit());
        try {
            boolean mirrored = onDemand.demand(resource, waits) || directory.has(resource);
            if (!mirrored && other != null) {
                return send(other, exchange);
            }
        } catch (Rejection denied) {
            if (other == null) {
                throw denied;
            }
            // The client may be permitted what kubemirror is not.
            return send(other, exchange);
        }
        try {
            MirroredResource started =
                    onDemand.find(
                            resource, waits, () -> find(path, directory.of(resource), admission));
            return read.from(checked(started, exchange), exchange);
        } finally {
            onDemand.answered(resource);
        }
    }

    /**
     * Answers from the mirror. What it does not cover is passed on, and so is what it cannot render
     * (list-watch.md#ne-6, #ne-22), unless it cannot be.
     */
    private Optional<WatchConnection> answer(
            RequestPath.OfResource path, MirroredResource resource, Exchange exchange, Read read)
            throws Rejection, IOException, InterruptedException {
        ReadPlan.FromOther other = beyond(path.resource(), Optional.ofNullable(resource.limit()));
        if (other != null && !encoder.isRendered(path, resource.type(), exchange)) {
            try {
                return send(other, exchange);
            } catch (Rejection unsent) {
                log.debug("A read is not passed on: {}", unsent.toString());
            }
        }
        try {
            return read.from(resource, exchange);
        } catch (Rejection rejection) {
            if (other == null || !rejection.isBeyondMirror()) {
                throw rejection;
            }
            return send(other, exchange);
        }
    }

    private Optional<WatchConnection> send(ReadPlan.FromOther other, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        return executor.answer(
                exchange,
                other.memory(),
                one -> {
                    other.answer().send(one);
                    return Optional.empty();
                });
    }
}
