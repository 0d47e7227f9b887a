package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.WaitLimit;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

import tools.jackson.databind.node.ObjectNode;

/**
 * The objects and history of a {@link ScriptedApiServer} by type, with one revision counter as in
 * etcd. One lock guards everything. Every state is kept, so any revision can be read until it is
 * compacted.
 */
final class ResourceStore {

    private static final String OUTDATED =
            "Operation cannot be fulfilled on %s: the object has been modified; please apply your"
                    + " changes to the latest version and try again";

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, ResourceHistory> series = new LinkedHashMap<>();
    private long revision = 1;
    private long compacted;
    private long created;

    /** Runs an action under the lock. */
    <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** Runs an action under the lock and signals waiting threads. */
    <T> T changing(Supplier<T> action) {
        return locked(
                () -> {
                    T result = action.get();
                    changed.signalAll();
                    return result;
                });
    }

    /**
     * Waits until a condition, which is evaluated under the lock, is true, and returns whether it
     * is.
     */
    boolean await(java.util.function.BooleanSupplier holds, Duration limit) {
        return WaitLimit.await(lock, changed, holds, limit);
    }

    /** Waits for a revision as a server does, which is not long. */
    void awaitRevision(long wanted) {
        if (!await(() -> revision >= wanted, ScriptedApiServer.PATIENCE)) {
            throw new StatusException(tooLarge(wanted));
        }
    }

    Status tooLarge(long wanted) {
        return StatusErrors.tooLargeRevision(
                new Revision(Long.toString(wanted)), new Revision(Long.toString(revision())));
    }

    void serve(ResourceType type) {
        changing(
                () ->
                        series.putIfAbsent(
                                type.collectionPath(), new ResourceHistory(type, revision)));
    }

    void withdraw(ResourceType type) {
        ResourceHistory withdrawn = changing(() -> series.remove(type.collectionPath()));
        if (withdrawn != null) {
            List.copyOf(withdrawn.watches()).forEach(OpenWatch::end);
        }
    }

    void serveInstead(ResourceType before, ResourceType after) {
        ResourceHistory old =
                changing(
                        () -> {
                            ResourceHistory found = series(before);
                            series.remove(before.collectionPath());
                            series.put(after.collectionPath(), found.as(after, revision));
                            return found;
                        });
        List.copyOf(old.watches()).forEach(OpenWatch::end);
    }

    /** Changes how the objects of a type look at their revisions, and ends its watches. */
    void reshape(ResourceType type, UnaryOperator<ObjectNode> look) {
        ResourceHistory part =
                changing(
                        () -> {
                            ResourceHistory found = series(type);
                            found.reshape(look);
                            return found;
                        });
        List.copyOf(part.watches()).forEach(OpenWatch::end);
    }

    List<ResourceType> types() {
        return locked(() -> series.values().stream().map(ResourceHistory::type).toList());
    }

    /** The type that a request names, or null if it is not served. */
    @Nullable ResourceType find(ReceivedRequest request) {
        return types().stream().filter(request::isOf).findFirst().orElse(null);
    }

    /** A type's part; to be used under the lock. */
    ResourceHistory series(ResourceType type) {
        ResourceHistory found = series.get(type.collectionPath());
        if (found == null) {
            throw StatusException.noRoute();
        }
        return found;
    }

    Collection<ResourceHistory> allSeries() {
        return series.values();
    }

    long revision() {
        return locked(() -> revision);
    }

    long compacted() {
        return locked(() -> compacted);
    }

    void advanceTo(long target) {
        changing(() -> revision = Math.max(revision, target));
    }

    ObjectNode create(ResourceType type, ObjectNode manifest) {
        return changing(
                () -> {
                    if (series(type).find(JsonTrees.key(manifest)) != null) {
                        throw conflict(type, manifest, "AlreadyExists", "%s already exists");
                    }
                    ObjectNode object = manifest.deepCopy();
                    ObjectNode metadata = object.withObject("metadata");
                    metadata.put("uid", new UUID(0x4000L, ++created).toString());
                    metadata.put("creationTimestamp", "2026-01-01T00:00:00Z");
                    return commit(StoredEvent.EventKind.ADDED, type, object, null);
                });
    }

    /** Replaces an object; without any difference nothing happens, as on a real server. */
    ObjectNode update(ResourceType type, ObjectNode manifest) {
        return changing(
                () -> {
                    ObjectNode before = existing(type, JsonTrees.key(manifest));
                    long expected = JsonTrees.revision(manifest);
                    if (expected != 0 && expected != JsonTrees.revision(before)) {
                        throw conflict(type, manifest, "Conflict", OUTDATED);
                    }
                    ObjectNode object = manifest.deepCopy();
                    ObjectNode metadata = object.withObject("metadata");
                    for (String kept : List.of("uid", "creationTimestamp", "resourceVersion")) {
                        metadata.set(kept, before.path("metadata").path(kept));
                    }
                    return object.equals(before)
                            ? before
                            : commit(StoredEvent.EventKind.MODIFIED, type, object, before);
                });
    }

    ObjectNode patch(ResourceType type, String key, ObjectNode patch) {
        return changing(() -> update(type, JsonTrees.merge(existing(type, key), patch)));
    }

    ObjectNode delete(ResourceType type, String key) {
        return changing(
                () -> {
                    ObjectNode before = existing(type, key);
                    return commit(StoredEvent.EventKind.DELETED, type, before, before);
                });
    }

    /** An object that must exist; to be used under the lock. */
    private ObjectNode existing(ResourceType type, String key) {
        ObjectNode found = series(type).find(key);
        if (found == null) {
            String name = key.substring(key.indexOf('/') + 1);
            throw new StatusException(StatusErrors.notFound(type, name));
        }
        return found;
    }

    private ObjectNode commit(
            StoredEvent.EventKind kind,
            ResourceType type,
            ObjectNode content,
            @Nullable ObjectNode before) {
        ResourceHistory part = series(type);
        ObjectNode object = JsonTrees.withRevision(content, ++revision);
        String key = JsonTrees.key(object);
        TreePMap<String, ObjectNode> after =
                kind == StoredEvent.EventKind.DELETED
                        ? part.content().minus(key)
                        : part.content().plus(key, object);
        part.append(new StoredEvent(revision, kind, object, before, after));
        return object;
    }

    /**
     * Compacts the history: older lists and tokens expire, and so do watches from older revisions.
     */
    void compact() {
        locked(
                () -> {
                    expireTokens();
                    forgetEvents();
                    return revision;
                });
    }

    /** Lets older lists and tokens expire, as etcd does while the watch cache has its history. */
    void expireTokens() {
        changing(() -> compacted = revision);
    }

    /** Drops the history for watches only, as a restart of the server does. */
    void forgetEvents() {
        changing(
                () -> {
                    series.values().forEach(part -> part.forgetBefore(revision));
                    return revision;
                });
    }

    /** Returns to an earlier revision, as if later changes had not happened. */
    void rewind(long target) {
        changing(
                () -> {
                    series.values().forEach(part -> part.rewind(target));
                    compacted = Math.min(compacted, target);
                    revision = target;
                    return revision;
                });
    }

    private static StatusException conflict(
            ResourceType type, ObjectNode object, String reason, String message) {
        String name = JsonTrees.name(object);
        String quoted = "%s \"%s\"".formatted(type.groupResource(), name);
        return new StatusException(
                new Status(
                        409,
                        reason,
                        message.formatted(quoted),
                        new Status.Details(name, type.group(), type.plural(), List.of(), 0)));
    }
}
