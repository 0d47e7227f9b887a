package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.GoString;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * Parameters of lists that no API server knows, such as an order. The API finds all beans of this
 * type. It refuses the parameters where they would be ignored without a word.
 */
public interface ListExtension {

    /** Returns the names of the parameters. */
    List<String> parameters();

    /**
     * Reads the parameters.
     *
     * @param mirror what serves the list
     * @return empty if the query has none
     * @throws Rejection if they are malformed
     */
    Optional<ListArrangement> read(Query query, Mirror mirror) throws Rejection;

    /** What a request has in place of a list in key order. Immutable. */
    interface ListArrangement {

        /** Returns what determines the result besides the objects, for tokens and tags. */
        String text();

        /**
         * Arranges the objects of a state.
         *
         * @param from the number of objects before the part
         * @param limit the maximum number of objects, at least 1
         * @throws Rejection if there is no memory
         */
        ListPart part(Mirror mirror, Snapshot state, Selection selection, int from, long limit)
                throws Rejection;
    }

    /**
     * A part of an arranged list.
     *
     * @param objects the objects
     * @param from the number of objects before them
     * @param total the number of all objects
     * @param counts the numbers of objects that are sent in place of the objects, null for none
     */
    record ListPart(List<KubeObject> objects, int from, int total, @Nullable ObjectCounts counts) {}

    /** All extensions of lists. Safe for use by any thread. */
    final class ListExtensions {

        private final List<ListExtension> all;
        private final List<String> names;

        /** Creates the set, of which a request uses the first one that it names. */
        public ListExtensions(List<ListExtension> all) {
            this.all = List.copyOf(all);
            this.names = all.stream().flatMap(one -> one.parameters().stream()).toList();
        }

        /**
         * Returns the arrangement that a query names, empty for key order.
         *
         * @throws Rejection if the parameters are malformed, or another spelling of them
         */
        public Optional<ListArrangement> read(Query query, Mirror mirror) throws Rejection {
            for (String written : query.all().keySet()) {
                for (String name : names) {
                    if (name.equalsIgnoreCase(written)) {
                        check(name, written, query);
                    }
                }
            }
            for (ListExtension one : all) {
                Optional<ListArrangement> found = one.read(query, mirror);
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }

        private static void check(String name, String written, Query query) throws Rejection {
            if (!written.equals(name)) {
                throw Rejection.badRequest(
                        "unknown parameter " + GoString.quote(written) + ": use " + name);
            }
            if (query.text(name).isEmpty() || query.values(name).size() > 1) {
                throw Rejection.badRequest(name + " must have one value");
            }
        }

        /**
         * Refuses a request that only an API server can answer, or that is for a stream or one
         * object: the parameters would be ignored without a word (list-watch.md#or-9, #or-10).
         *
         * @param why who does not know the parameters
         * @throws Rejection if the query has any of them
         */
        public void refuse(Query query, String why) throws Rejection {
            Optional<String> name = named(query);
            if (name.isPresent()) {
                throw Rejection.badRequest(name.get() + " is not supported: " + why);
            }
        }

        /**
         * Returns whether a query of a list has parameters that an API server does not know, or may
         * ignore: those of an extension, or a shard (list-watch.md#sh-8).
         */
        public boolean areForMirror(Query query) {
            return named(query).isPresent() || !query.text(ListOptions.SHARD_SELECTOR).isEmpty();
        }

        /** Returns the first of the parameters that a query has. */
        public Optional<String> named(Query query) {
            return names.stream().filter(name -> query.get(name).isPresent()).findFirst();
        }
    }

    /**
     * The number of objects of a selection, and of those with each value (list-watch.md#or-6,
     * #or-7).
     *
     * @param total the number of all objects
     * @param groups one for each value, the largest first; empty if the objects are not grouped
     */
    record ObjectCounts(long total, List<ValueCount> groups) {

        /**
         * The number of objects with a value.
         *
         * @param value the value, null for objects that have none
         * @param count at least 1
         */
        public record ValueCount(@Nullable String value, long count) {}
    }
}
