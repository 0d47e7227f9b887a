package io.kubemirror.web.table;

/**
 * Something to know of a row beside its cells.
 *
 * @param type what it is about, such as {@code Completed}
 * @param reason why, in one word
 * @param message why, for people
 */
public record RowCondition(String type, String reason, String message) {}
