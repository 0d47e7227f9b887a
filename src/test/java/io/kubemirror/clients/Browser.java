package io.kubemirror.clients;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A page in headless Chromium that reads kubemirror by {@code EventSource}. */
final class Browser implements Informer {

    /** Let it be alone with the page, as whoever runs the tests, without a network. */
    static final List<String> CHROMIUM =
            List.of(
                    "chromium",
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-quic",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync");

    private final Page page;
    private final Line line = new Line();
    private final Cache cache;
    private final Run run;

    /**
     * Opens the page.
     *
     * @param kubemirror where kubemirror is
     * @param pods the path of what to read
     */
    Browser(URI kubemirror, String pods, Sight sight) {
        cache = new Cache(sight);
        page = new Page(kubemirror, cache::tell);
        line.lead(page.port());
        run = Run.start(Path.of("."), command(pods));
    }

    private List<String> command(String pods) {
        List<String> command = new ArrayList<>(CHROMIUM);
        command.add("--user-data-dir=" + profile());
        command.add(
                "%s/page?pods=%s&tell=http://127.0.0.1:%d/tell"
                        .formatted(line.url(), pods, page.port()));
        return command;
    }

    /** A new one, or it would show what it showed before. */
    static Path profile() {
        try {
            return Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chromium");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The line between the page and what serves it. */
    Line line() {
        return line;
    }

    @Override
    public Map<String, String> held() {
        return cache.held();
    }

    @Override
    public void close() {
        run.close();
        line.close();
        page.close();
    }
}
