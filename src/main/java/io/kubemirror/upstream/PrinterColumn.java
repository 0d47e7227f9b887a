package io.kubemirror.upstream;

/**
 * A column of a custom resource's table, as its definition declares it (list-watch.md#ne-21).
 *
 * @param name its heading
 * @param type the type of its values: {@code string}, {@code integer}, {@code number}, {@code
 *     boolean} or {@code date}
 * @param format what the type does not say, empty for nothing
 * @param description what it means
 * @param priority 0 for a column that is always shown, more for one of {@code kubectl -o wide}
 * @param jsonPath where the value stands in the object
 */
public record PrinterColumn(
        String name,
        String type,
        String format,
        String description,
        int priority,
        String jsonPath) {}
