package io.kubemirror.api.encode;

import io.kubemirror.api.encode.ListExtension.ListArrangement;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Mirror;

import java.util.List;
import java.util.Optional;

/** All extensions of lists. Safe for use by any thread. */
public final class ListExtensions {

    private final List<ListExtension> all;

    /** Creates the set, of which a request uses the first one that it names. */
    public ListExtensions(List<ListExtension> all) {
        this.all = List.copyOf(all);
    }

    /**
     * Returns the arrangement that a query names, empty for key order.
     *
     * @throws Rejection if the parameters are malformed
     */
    public Optional<ListArrangement> read(Query query, Mirror mirror) throws Rejection {
        for (ListExtension one : all) {
            Optional<ListArrangement> found = one.read(query, mirror);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /**
     * Refuses a request that only an API server can answer, or that is for a stream: the parameters
     * would be ignored without a word (list-watch.md#or-9, #or-10).
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
        return named(query).isPresent() || !query.text("shardSelector").isEmpty();
    }

    /** Returns the first of the parameters that a query has. */
    public Optional<String> named(Query query) {
        return all.stream()
                .flatMap(one -> one.parameters().stream())
                .filter(name -> query.get(name).isPresent())
                .findFirst();
    }
}
