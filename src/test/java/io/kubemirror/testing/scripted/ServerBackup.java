package io.kubemirror.testing.scripted;

/**
 * A moment of a {@link ScriptedApiServer} that it can be put back to.
 *
 * @param revision the server's revision at that moment
 */
public record ServerBackup(long revision) {}
