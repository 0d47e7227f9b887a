package io.kubemirror.clients;

import module java.base;

import io.kubemirror.testing.Unchecked;

/** A page in headless Chromium that reads kubemirror by {@code EventSource}. */
final class EventSourcePage implements Informer {

    /** Runs as the user of the tests, with this page only, and without a network. */
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

    private static final Path FILE = Path.of("src", "test", "javascript", "page.html");

    private final PageServer page;
    private final TcpRelay line = new TcpRelay();
    private final ReportedCache reportedCache;
    private final ProgramRun run;

    /**
     * Opens the page.
     *
     * @param kubemirror where kubemirror is
     * @param pods the path of what to read
     */
    EventSourcePage(URI kubemirror, String pods, ReportedPods reportedPods) {
        reportedCache = new ReportedCache(reportedPods);
        page = new PageServer(FILE, kubemirror, reportedCache::tell);
        line.lead(page.port());
        run = ProgramRun.start(Path.of("."), command(pods));
    }

    private List<String> command(String pods) {
        List<String> command = new ArrayList<>(CHROMIUM);
        command.add("--user-data-dir=" + profile());
        command.add(
                "%s/page?pods=%s&tell=http://127.0.0.1:%d/tell"
                        .formatted(line.url(), pods, page.port()));
        return command;
    }

    /** A new profile, because a used one restores its last page. */
    static Path profile() {
        return Unchecked.call(
                () -> Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chromium"));
    }

    /** Returns the relay between the page and its server. */
    TcpRelay line() {
        return line;
    }

    @Override
    public Map<String, String> held() {
        return reportedCache.held();
    }

    @Override
    public void close() {
        run.close();
        line.close();
        page.close();
    }
}
