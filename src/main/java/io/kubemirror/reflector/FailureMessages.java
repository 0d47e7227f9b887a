package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Failure;

import org.jspecify.annotations.Nullable;

/**
 * What operators read about failures: each message is one line with the cause and a remedy. The
 * reflector knows no property by name, but who configures it does. Safe for use by any thread.
 */
public interface FailureMessages {

    /**
     * Returns the message about a failed request.
     *
     * @param needed the permission that the request requires, null for discovery
     * @param upstream the name of the properties that lead to the server
     */
    String failed(Failure failure, @Nullable Permission needed, String upstream);

    /**
     * Returns the message about a type that the server does not have.
     *
     * @param similar the types with similar names, possibly none
     */
    String missing(List<String> similar);

    /**
     * Returns the message about a collection that does not fit: how much memory it needs.
     *
     * @param remaining the number of objects still to come, 0 if unknown
     */
    String tooLarge(Excess tooLarge, long remaining);
}
