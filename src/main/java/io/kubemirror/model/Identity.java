package io.kubemirror.model;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Who somebody is, as Kubernetes knows users.
 *
 * @param name the user's name, such as {@code system:serviceaccount:shop:web}
 * @param uid tells users of the same name apart, empty if there is none
 * @param groups the groups that the user belongs to
 * @param extra whatever else decides about permissions, such as the pod of a token
 */
public record Identity(
        String name, String uid, List<String> groups, Map<String, List<String>> extra) {

    /** The group of all who have shown who they are. */
    public static final String AUTHENTICATED = "system:authenticated";

    /** Copies what can change. */
    public Identity {
        groups = List.copyOf(groups);
        Map<String, List<String>> copy = new TreeMap<>();
        extra.forEach((key, values) -> copy.put(key, List.copyOf(values)));
        extra = Map.copyOf(copy);
    }
}
