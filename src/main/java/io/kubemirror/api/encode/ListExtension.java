package io.kubemirror.api.encode;

import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;

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
}
