package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;

/** Finds the mirrors for a request. */
public final class MirrorDirectory {

    /** How many mirrored resources an error names. */
    private static final int MAX_NAMES = 8;

    /** The length of a name that no resource exceeds. */
    private static final int MAX_NAME_LENGTH = 253;

    private final MirrorSet mirrors;
    private final LongSupplier nanos;
    private final BooleanSupplier open;
    private final long start;

    /**
     * Creates a directory.
     *
     * @param mirrors all mirrors
     * @param nanos a monotonic clock in nanoseconds
     * @param open whether every client may read whatever is mirrored, and errors may name it
     */
    public MirrorDirectory(MirrorSet mirrors, LongSupplier nanos, BooleanSupplier open) {
        this.mirrors = mirrors;
        this.nanos = nanos;
        this.open = open;
        this.start = nanos.getAsLong();
    }

    /** Returns the mirrored types that have been resolved, in the order of the configuration. */
    List<ResourceType> types() {
        return mirrors.stream().flatMap(mirror -> mirror.type().stream()).distinct().toList();
    }

    /**
     * Returns which fields the mirrors of a type have, as in {@code Kubemirror-Fields}; none if all
     * have whole objects.
     */
    List<String> fields(ResourceType type) {
        return mirrors.stream()
                .filter(mirror -> mirror.type().filter(type::equals).isPresent())
                .map(mirror -> mirror.reads().fields())
                .filter(fields -> !fields.isEmpty())
                .distinct()
                .toList();
    }

    /** Returns whether every client may read whatever is mirrored, and errors may name it. */
    boolean isOpen() {
        return open.getAsBoolean();
    }

    /** Returns whether each configured type is resolved or known not to exist. */
    boolean isComplete() {
        return mirrors.stream()
                .allMatch(
                        mirror ->
                                mirror.type().isPresent()
                                        || mirror.upstream().phase() == Phase.ABSENT);
    }

    /**
     * Returns whether the type of a mirror, which may be the one of a path, is not known yet
     * (list-watch.md#in-1). One that the server does not have is known.
     */
    public boolean isAwaited(RequestPath.Resource resource) {
        return awaited(resource).anyMatch(mirror -> mirror.type().isEmpty());
    }

    private Stream<Mirror> awaited(RequestPath.Resource resource) {
        return further(List.of(), resource).stream()
                .filter(mirror -> mirror.upstream().phase() != Phase.ABSENT);
    }

    /** Returns the mirrors of the resource of a path, each of which may have a part of it. */
    public List<Mirror> of(RequestPath.Resource resource) {
        return mirrors.named(resource.plural())
                .filter(mirror -> mirror.type().filter(resource::isOf).isPresent())
                .toList();
    }

    /**
     * Returns a mirrored resource. One that is named without a version is the one that was
     * configured first.
     */
    Optional<RequestPath.Resource> anyVersion(RequestPath.Resource named) {
        return types().stream()
                .filter(type -> type.group().equals(named.group()))
                .filter(type -> type.plural().equals(named.plural()))
                .filter(type -> named.version().isEmpty() || type.version().equals(named.version()))
                .map(type -> new RequestPath.Resource(type.group(), type.version(), type.plural()))
                .findFirst();
    }

    /**
     * Finds the resource for a path.
     *
     * @param resource the resource as named in the path
     * @param inNamespace whether the path names a namespace
     * @param named whether the path names an object
     * @throws Rejection if the resource is not mirrored, its scope differs from that of the path
     *     (list-watch.md#pa-11), or its type is not resolved yet
     */
    public MirroredResource find(RequestPath.Resource resource, boolean inNamespace, boolean named)
            throws Rejection {
        return find(of(resource), resource, inNamespace, named);
    }

    /**
     * Finds the resource for a path in mirrors that {@link #of} has returned, some of which may
     * have been removed since. What only mirrors have that have been added since is about to be
     * served.
     *
     * @throws Rejection as the method above
     */
    public MirroredResource find(
            List<Mirror> found, RequestPath.Resource resource, boolean inNamespace, boolean named)
            throws Rejection {
        if (found.isEmpty()) {
            throw unknown(resource, named);
        }
        ResourceType type = found.getFirst().type().orElseThrow();
        boolean otherScope = type.namespaced() ? named && !inNamespace : inNamespace;
        if (otherScope) {
            throw Rejection.absent(type.group());
        }
        return new MirroredResource(type, found, further(found, resource), this);
    }

    /**
     * Returns the mirrors that may have a part of a resource, too: their type is not known yet, or
     * has not been when others were found.
     */
    private List<Mirror> further(List<Mirror> found, RequestPath.Resource resource) {
        Set<Mirror> known = Set.copyOf(found);
        return mirrors.named(resource.plural())
                .filter(mirror -> !known.contains(mirror))
                .filter(
                        mirror ->
                                mirror.type()
                                        .map(resource::isOf)
                                        .orElseGet(() -> isNamed(mirror.scope(), resource)))
                .toList();
    }

    private static boolean isNamed(Scope scope, RequestPath.Resource path) {
        return scope.resource().match(path.group(), path.version(), path.plural())
                != ResourceName.Match.NONE;
    }

    /**
     * Returns the current state of a mirror.
     *
     * @throws Rejection until the first synchronization is complete (list-watch.md#in-1)
     */
    public Snapshot stateOf(Mirror mirror) throws Rejection {
        return mirror.snapshot().orElseThrow(() -> initializing(mirror));
    }

    /**
     * Rejects a path without a known resource. A type that is not resolved yet may turn out to be
     * the one in the path.
     */
    private Rejection unknown(RequestPath.Resource resource, boolean named) {
        return awaited(resource)
                .findFirst()
                .map(this::initializing)
                .orElseGet(() -> unserved(resource, named));
    }

    /**
     * Rejects a path whose resource is not served. When kubectl does not find an object, it
     * requests the namespace of the object and prints a 404 for the namespace instead of the error
     * that names the missing object.
     */
    private Rejection unserved(RequestPath.Resource resource, boolean named) {
        boolean namespace = resource.group().isEmpty() && resource.plural().equals("namespaces");
        return named && namespace
                ? new Rejection(StatusErrors.namespacesNotMirrored())
                : notMirrored(resource);
    }

    /** Says what to do about a resource that is not mirrored (list-watch.md#pa-13). */
    private Rejection notMirrored(RequestPath.Resource resource) {
        List<String> versions =
                types().stream()
                        .filter(type -> type.plural().equals(resource.plural()))
                        .filter(type -> type.group().equals(resource.group()))
                        .map(type -> name(type.plural(), type.version(), type.group()))
                        .toList();
        String written =
                name(
                        resource.plural(),
                        versions.isEmpty() ? "" : resource.version(),
                        resource.group());
        if (written.length() > MAX_NAME_LENGTH || !ResourceName.isValid(written)) {
            return Rejection.absent(resource.group());
        }
        String why =
                isAbsent(resource)
                        ? "the API server does not have %s, which kubemirror looks for"
                                .formatted(written)
                        : ("kubemirror does not mirror %s%s; add it to kubemirror.resources, or set"
                                        + " kubemirror.pass-through.mode to have the API server"
                                        + " answer")
                                .formatted(written, but(versions));
        return new Rejection(StatusErrors.notMirrored(why));
    }

    private boolean isAbsent(RequestPath.Resource resource) {
        return mirrors.stream()
                .filter(mirror -> mirror.upstream().phase() == Phase.ABSENT)
                .anyMatch(mirror -> isNamed(mirror.scope(), resource));
    }

    /** Returns a name in kubectl's notation. */
    private static String name(String plural, String version, String group) {
        return version.isEmpty() && group.isEmpty()
                ? plural
                : plural + (version.isEmpty() ? "" : "." + version) + "." + group;
    }

    /**
     * Names some of what is mirrored, as discovery does, unless clients need permissions.
     *
     * @param versions the other versions of the same resource, which go before all else
     */
    private String but(List<String> versions) {
        List<String> names =
                versions.isEmpty()
                        ? types().stream().map(ResourceType::groupResource).distinct().toList()
                        : versions;
        if (names.isEmpty() || !isOpen()) {
            return "";
        }
        int further = names.size() - MAX_NAMES;
        return " (but %s%s)"
                .formatted(
                        String.join(", ", names.stream().limit(MAX_NAMES).toList()),
                        further > 0 ? ", and " + further + " more" : "");
    }

    /**
     * Rejects requests until the mirror is initialized. The suggested retry delay grows with the
     * age of the mirrors (list-watch.md#errors).
     */
    Rejection initializing(Mirror mirror) {
        double seconds = (nanos.getAsLong() - start) / 1e9;
        int retryAfter = (int) Math.clamp(Math.floor(Math.exp(0.06 * seconds)), 1, 30);
        return new Rejection(StatusErrors.initializing(mirror.upstream().problem(), retryAfter));
    }
}
