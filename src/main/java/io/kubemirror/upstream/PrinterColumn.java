package io.kubemirror.upstream;

/**
 * A printer column of a custom resource, as declared in its definition (list-watch.md#ne-21).
 *
 * @param name the heading
 * @param type the type of the values: {@code string}, {@code integer}, {@code number}, {@code
 *     boolean} or {@code date}
 * @param format further details of the type, possibly empty
 * @param description the description of the column
 * @param priority 0 for a column that is always shown, a larger number for one of {@code kubectl -o
 *     wide}
 * @param jsonPath the path of the value in the object
 */
public record PrinterColumn(
        String name,
        String type,
        String format,
        String description,
        int priority,
        String jsonPath) {}
