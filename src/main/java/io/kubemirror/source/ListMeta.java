package io.kubemirror.source;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * The metadata of a page of a list, whose objects have been passed to a consumer.
 *
 * @param revision the revision of the page
 * @param continueToken the token for the next page, or null after the last
 * @param remaining the number of objects after this page, as estimated by the server; null if it
 *     gives no estimate
 */
public record ListMeta(
        Revision revision, @Nullable String continueToken, @Nullable Long remaining) {}
