package io.kubemirror.model;

import module java.base;

/**
 * A user, as Kubernetes identifies it.
 *
 * @param name the user's name, such as {@code system:serviceaccount:shop:web}
 * @param uid distinguishes users of the same name, empty if there is none
 * @param groups the groups that the user belongs to
 * @param extra other attributes that affect permissions, such as the pod of a token
 */
public record Identity(
        String name, String uid, List<String> groups, Map<String, List<String>> extra) {

    /** The group of all authenticated users. */
    public static final String AUTHENTICATED = "system:authenticated";

    /** Copies the collections. */
    public Identity {
        groups = List.copyOf(groups);
        Map<String, List<String>> copy = new TreeMap<>();
        extra.forEach((key, values) -> copy.put(key, List.copyOf(values)));
        extra = Map.copyOf(copy);
    }
}
