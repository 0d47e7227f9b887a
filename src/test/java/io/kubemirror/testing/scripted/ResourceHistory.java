package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.JsonTrees;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

import tools.jackson.databind.node.ObjectNode;

/**
 * The objects of one type, their history, and the open watches. Guarded by the lock of the store.
 */
final class ResourceHistory {

    private final ResourceType type;
    private final List<StoredEvent> history = new ArrayList<>();
    private final Set<OpenWatch> watches = new LinkedHashSet<>();
    private long oldestWatchable;

    ResourceHistory(ResourceType type, long oldestWatchable) {
        this.type = type;
        this.oldestWatchable = oldestWatchable;
    }

    ResourceType type() {
        return type;
    }

    List<StoredEvent> history() {
        return history;
    }

    Set<OpenWatch> watches() {
        return watches;
    }

    /** The smallest revision that a watch may start from. */
    long oldestWatchable() {
        return oldestWatchable;
    }

    void forgetBefore(long revision) {
        oldestWatchable = revision;
    }

    TreePMap<String, ObjectNode> content() {
        return history.isEmpty() ? TreePMap.empty() : history.getLast().after();
    }

    TreePMap<String, ObjectNode> contentAt(long revision) {
        for (StoredEvent event : history.reversed()) {
            if (event.revision() <= revision) {
                return event.after();
            }
        }
        return TreePMap.empty();
    }

    void append(StoredEvent event) {
        history.add(event);
        watches.forEach(watch -> watch.offer(event));
    }

    @Nullable ObjectNode find(String key) {
        return content().get(key);
    }

    /** The present objects in another version of their type, watchable from now on. */
    ResourceHistory as(ResourceType version, long now) {
        ResourceHistory converted = new ResourceHistory(version, now);
        content().values().stream()
                .sorted(Comparator.comparingLong(JsonTrees::revision))
                .forEach(object -> converted.append(version, object.deepCopy()));
        return converted;
    }

    private void append(ResourceType version, ObjectNode object) {
        object.put("apiVersion", version.apiVersion());
        TreePMap<String, ObjectNode> after = content().plus(JsonTrees.key(object), object);
        append(
                new StoredEvent(
                        JsonTrees.revision(object),
                        StoredEvent.EventKind.ADDED,
                        object,
                        null,
                        after));
    }

    /** Changes how all objects look, also those of the past. */
    void reshape(UnaryOperator<ObjectNode> look) {
        history.replaceAll(event -> event.reshaped(look));
    }

    /** Drops the changes after a revision; watches can only start from there. */
    void rewind(long revision) {
        history.removeIf(event -> event.revision() > revision);
        oldestWatchable = revision;
    }
}
