package io.kubemirror.history;

import module java.base;

/** All versions of the objects of one type, as etcd stored them. For use by one thread. */
final class Truth {

    private final NavigableMap<Long, Version> changes = new TreeMap<>();
    private final Map<String, NavigableMap<Long, Version>> objects = new TreeMap<>();

    /** Adds a change. Of a deletion, only the key and the revision need to be known. */
    void add(Version change) {
        NavigableMap<Long, Version> versions =
                objects.computeIfAbsent(change.key(), _ -> new TreeMap<>());
        Version added = change;
        if (change.deleted()) {
            if (versions.isEmpty()) {
                return;
            }
            Version last = versions.lastEntry().getValue();
            added =
                    new Version(
                            change.at(),
                            last.key(),
                            last.uid(),
                            change.revision(),
                            last.value(),
                            last.label(),
                            true);
        }
        versions.put(change.revision(), added);
        changes.put(change.revision(), added);
    }

    /** Adds a change that is completely known. */
    void restore(Version change) {
        objects.computeIfAbsent(change.key(), _ -> new TreeMap<>()).put(change.revision(), change);
        changes.put(change.revision(), change);
    }

    /** All changes in their order. */
    Iterable<Version> changes() {
        return changes.values();
    }

    /** The object at a revision, {@link Version#NONE} if there was none. */
    Version at(String key, long revision) {
        Map.Entry<Long, Version> entry =
                objects.getOrDefault(key, new TreeMap<>()).floorEntry(revision);
        return entry == null || entry.getValue().deleted() ? Version.NONE : entry.getValue();
    }

    /** The change of that revision, {@link Version#NONE} if there is none. */
    Version changeAt(long revision) {
        return changes.getOrDefault(revision, Version.NONE);
    }

    /** The selected objects at a revision, by their keys. */
    SortedMap<String, Version> state(long revision, Selected selected) {
        SortedMap<String, Version> state = new TreeMap<>();
        for (String key : objects.keySet()) {
            Version version = at(key, revision);
            if (selected.matches(version)) {
                state.put(key, version);
            }
        }
        return state;
    }

    /** The last change up to a revision, 0 if there is none. */
    long effective(long revision) {
        Long floor = changes.floorKey(revision);
        return floor == null ? 0 : floor;
    }

    /** The last revision at which an object was as it was seen; negative if it never was. */
    long lastWith(String key, Version seen) {
        long last = objects.containsKey(key) || !seen.deleted() ? -1 : Long.MAX_VALUE;
        NavigableMap<Long, Version> versions = objects.getOrDefault(key, new TreeMap<>());
        if (seen.deleted() && !versions.isEmpty()) {
            last = versions.firstKey() - 1;
        }
        for (Version version : versions.values()) {
            boolean equal = seen.deleted() ? version.deleted() : version.isSeenAs(seen);
            if (equal && version.deleted() == seen.deleted()) {
                Long next = versions.higherKey(version.revision());
                last = next == null ? Long.MAX_VALUE : next - 1;
            }
        }
        return last;
    }

    /** The first revision, not before another one, at which there is no such object. */
    long firstWithout(String key, long from) {
        if (at(key, from).equals(Version.NONE)) {
            return from;
        }
        return objects.getOrDefault(key, new TreeMap<>()).tailMap(from, false).values().stream()
                .filter(Version::deleted)
                .mapToLong(Version::revision)
                .findFirst()
                .orElse(from);
    }

    /** The deletion of an object with this UID, 0 if it was not deleted. */
    long deletionOf(String key, String uid) {
        return objects.getOrDefault(key, new TreeMap<>()).values().stream()
                .filter(version -> version.deleted() && version.uid().equals(uid))
                .mapToLong(Version::revision)
                .max()
                .orElse(0);
    }

    /** The revision that etcd had reported at a time. */
    long revisionAt(long time) {
        long last = 0;
        for (Version version : changes.values()) {
            if (version.at() > time) {
                break;
            }
            last = version.revision();
        }
        return last;
    }

    /** Whether an object was missing, or there, at some moment between two times. */
    boolean was(String key, boolean missing, long from, long until) {
        boolean was = missing;
        for (Version version : objects.getOrDefault(key, new TreeMap<>()).values()) {
            if (version.at() > until) {
                break;
            }
            was = (version.at() > from && was) || version.deleted() == missing;
        }
        return was;
    }

    /** The number of changes after a revision up to a time. */
    long count(long after, long until) {
        return changes.tailMap(after, false).values().stream()
                .filter(version -> version.at() <= until)
                .count();
    }

    /** The events that a watch from a revision gets, by their revisions. */
    NavigableMap<Long, Frame> events(long from, Selected selected) {
        NavigableMap<Long, Frame> events = new TreeMap<>();
        for (Version change : new ArrayList<>(changes.tailMap(from, false).values())) {
            Version before = at(change.key(), change.revision() - 1);
            boolean was = selected.matches(before);
            boolean is = selected.matches(change);
            if (is) {
                events.put(change.revision(), event(was ? "MODIFIED" : "ADDED", change));
            } else if (was) {
                events.put(change.revision(), event("DELETED", before.endedAt(change.revision())));
            }
        }
        return events;
    }

    private static Frame event(String type, Version object) {
        return new Frame(0, type, object, object.revision(), false);
    }
}
