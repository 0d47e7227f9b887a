package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceName.Match;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.TypeLookup;

/**
 * The types that the API server lists and watches, as it last described them. It is asked at most
 * once per second, and only when the answer is needed; if it does not answer, the last answer
 * stays.
 *
 * <p>Safe for use by any thread. Concurrent callers wait for one request.
 */
final class DiscoveredTypes {

    private static final long MAX_RECENT = Duration.ofSeconds(1).toNanos();

    private final Source api;
    private final LongSupplier nanos;

    /** Held during a request. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether a thread asks the server for a later search. */
    private final AtomicBoolean asking = new AtomicBoolean();

    /** Immutable. Written under the lock. */
    private volatile Answer last;

    /**
     * An answer of the server.
     *
     * @param types in the order in which names resolve to them
     * @param known whether the server has ever answered
     * @param problem why it did not answer the last time, empty if it did
     * @param expires the time after which it is asked again
     * @param gone whether a type has been found to be gone since
     */
    private record Answer(
            List<ResourceType> types, boolean known, String problem, long expires, boolean gone) {}

    /** Creates the types of a server that has not been asked. */
    DiscoveredTypes(Source api, LongSupplier nanos) {
        this.api = api;
        this.nanos = nanos;
        this.last = new Answer(List.of(), false, "", nanos.getAsLong(), false);
    }

    /** Returns the types as of a second ago or later, if the server answers. */
    List<ResourceType> recent() {
        Answer now = last;
        return isRecent(now) ? now.types() : refresh().types();
    }

    /** Finds a type; one that is not among the known ones may be new. */
    Optional<ResourceType> find(Predicate<ResourceType> wanted) {
        Answer now = last;
        Optional<ResourceType> found =
                now.gone() ? Optional.empty() : now.types().stream().filter(wanted).findFirst();
        return found.isPresent() ? found : recent().stream().filter(wanted).findFirst();
    }

    /**
     * Finds a type among the known ones. If there is none, the server is asked meanwhile, for a
     * later search. Returns at once.
     */
    Optional<ResourceType> known(Predicate<ResourceType> wanted) {
        Answer now = last;
        Optional<ResourceType> found = now.types().stream().filter(wanted).findFirst();
        if ((found.isEmpty() || now.gone())
                && !isRecent(now)
                && asking.compareAndSet(false, true)) {
            Thread.ofVirtual().name("discovery").start(this::ask);
        }
        return now.gone() ? Optional.empty() : found;
    }

    private void ask() {
        try {
            var _ = refresh();
        } finally {
            asking.set(false);
        }
    }

    /** Returns whether the server has ever answered. */
    boolean areKnown() {
        return last.known();
    }

    /** Returns why the server did not answer the last time. */
    String problem() {
        return last.problem();
    }

    /** Lets the next search ask the server, which does not have some type any more. */
    void expire() {
        lock.lock();
        try {
            Answer now = last;
            last = new Answer(now.types(), now.known(), now.problem(), nanos.getAsLong(), true);
        } finally {
            lock.unlock();
        }
    }

    private boolean isRecent(Answer answer) {
        return answer.expires() - nanos.getAsLong() > 0;
    }

    private Answer refresh() {
        lock.lock();
        try {
            if (!isRecent(last)) {
                last = after(last, api.types());
            }
            return last;
        } finally {
            lock.unlock();
        }
    }

    private Answer after(Answer before, Result<List<TypeLookup.Found>> answered) {
        long expires = nanos.getAsLong() + MAX_RECENT;
        return switch (answered) {
            case Result.Success(var types) ->
                    new Answer(watchable(types), true, "", expires, false);
            case Result.Failed(var failure) ->
                    new Answer(
                            before.types(),
                            before.known(),
                            failure.summary(),
                            expires,
                            before.gone());
        };
    }

    private static List<ResourceType> watchable(List<TypeLookup.Found> types) {
        return types.stream()
                .filter(TypeLookup.Found::watchable)
                .map(TypeLookup.Found::type)
                .toList();
    }

    /** Returns whether a name resolves to a type. */
    boolean isNameOf(ResourceName name, ResourceType type) {
        return Stream.of(Match.VERSION, Match.GROUP)
                .flatMap(match -> last.types().stream().filter(one -> match(name, one) == match))
                .findFirst()
                .filter(type::equals)
                .isPresent();
    }

    private static Match match(ResourceName name, ResourceType type) {
        return name.match(type.group(), type.version(), type.plural());
    }

    /** Returns the name of a type, with the version unless it is the preferred one. */
    ResourceName nameOf(ResourceType type) {
        ResourceName name = new ResourceName(type.groupResource());
        return isNameOf(name, type)
                ? name
                : new ResourceName(
                        "%s.%s.%s".formatted(type.plural(), type.version(), type.group()));
    }
}
