package io.kubemirror.api.read;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirrors;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;

import java.util.List;
import java.util.function.LongSupplier;

/** Finds the mirrors that a request is about. */
public final class MirrorDirectory {

    private final List<Mirror> mirrors;
    private final LongSupplier nanos;
    private final long start;

    /**
     * A directory.
     *
     * @param mirrors all mirrors
     * @param nanos a monotonic clock in nanoseconds
     */
    public MirrorDirectory(Mirrors mirrors, LongSupplier nanos) {
        this.mirrors = mirrors.all();
        this.nanos = nanos;
        this.start = nanos.getAsLong();
    }

    /** The types that are mirrored and known, in the order of the configuration. */
    List<ResourceType> types() {
        return mirrors.stream().flatMap(mirror -> mirror.type().stream()).distinct().toList();
    }

    /** Whether all types are known, or known not to exist. */
    boolean isComplete() {
        return mirrors.stream()
                .allMatch(
                        mirror ->
                                mirror.type().isPresent()
                                        || mirror.upstream().phase()
                                                == UpstreamStatus.Phase.ABSENT);
    }

    /**
     * The resource at a path.
     *
     * @param resource how the path names it
     * @param inNamespace whether the path names a namespace
     * @param named whether the path names an object
     * @throws Rejection if it is not mirrored, has another scope than the path
     *     (list-watch.md#pa-11, #pa-12), or its type is not known yet
     */
    public MirroredResource find(RequestPath.Resource resource, boolean inNamespace, boolean named)
            throws Rejection {
        List<Mirror> found =
                mirrors.stream()
                        .filter(
                                mirror ->
                                        mirror.type()
                                                .filter(type -> is(type, resource))
                                                .isPresent())
                        .toList();
        if (found.isEmpty()) {
            throw unknown(resource, named);
        }
        ResourceType type = found.getFirst().type().orElseThrow();
        boolean otherScope = type.namespaced() ? named && !inNamespace : inNamespace;
        if (otherScope) {
            throw Rejection.absent(type.group());
        }
        return new MirroredResource(type, found);
    }

    /**
     * The present state of a mirror.
     *
     * @throws Rejection until its first synchronisation is complete (list-watch.md#in-1)
     */
    public Snapshot stateOf(Mirror mirror) throws Rejection {
        return mirror.snapshot().orElseThrow(() -> initializing(mirror));
    }

    private static boolean is(ResourceType type, RequestPath.Resource resource) {
        return type.plural().equals(resource.plural())
                && type.group().equals(resource.group())
                && type.version().equals(resource.version());
    }

    /** What is not resolved yet may turn out to be what the path names. */
    private Rejection unknown(RequestPath.Resource resource, boolean named) {
        return mirrors.stream()
                .filter(mirror -> mirror.type().isEmpty() && mayBe(mirror, resource))
                .findFirst()
                .map(this::initializing)
                .orElseGet(() -> unserved(resource, named));
    }

    /**
     * kubectl asks for the namespace of an object that is not found, and prints a 404 to that in
     * place of the error that tells which object is missing.
     */
    private static Rejection unserved(RequestPath.Resource resource, boolean named) {
        boolean namespace = resource.group().isEmpty() && resource.plural().equals("namespaces");
        return named && namespace
                ? new Rejection(StatusErrors.namespacesNotMirrored())
                : Rejection.absent(resource.group());
    }

    private static boolean mayBe(Mirror mirror, RequestPath.Resource resource) {
        return mirror.upstream().phase() != UpstreamStatus.Phase.ABSENT
                && mirror.scope()
                                .resource()
                                .match(resource.group(), resource.version(), resource.plural())
                        != ResourceName.Match.NONE;
    }

    /** The advice grows with the time that the mirrors have existed (list-watch.md#errors). */
    private Rejection initializing(Mirror mirror) {
        double seconds = (nanos.getAsLong() - start) / 1e9;
        int retryAfter = (int) Math.clamp(Math.floor(Math.exp(0.06 * seconds)), 1, 30);
        return new Rejection(StatusErrors.initializing(mirror.upstream().problem(), retryAfter));
    }
}
