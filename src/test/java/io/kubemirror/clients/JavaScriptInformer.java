package io.kubemirror.clients;

import module java.base;

/** The informer of the official JavaScript client, in a separate process. */
final class JavaScriptInformer implements Informer {

    private final ProgramRun run;
    private final ReportedCache reportedCache;

    JavaScriptInformer(URI url, String namespace, ReportedPods reportedPods) {
        reportedCache = new ReportedCache(reportedPods);
        run =
                ProgramRun.start(
                        NodeScripts.installed(),
                        List.of("node", "informer.mjs", url.toString(), namespace),
                        this::look);
    }

    @Override
    public Map<String, String> held() {
        return reportedCache.held();
    }

    private void look(String line) {
        if (line.startsWith("{")) {
            reportedCache.tell(line);
        }
    }

    @Override
    public void close() {
        run.close();
    }
}
