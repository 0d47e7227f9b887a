package io.kubemirror.clients;

import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import java.net.URI;
import java.util.List;

/** An informer of the company that lives through a story together. */
enum ObservedInformer {
    FABRIC8_WEB_SOCKET("list, then a watch by WebSocket", "pgrade: websocket") {
        @Override
        Informer join(URI url, String namespace, ReportedPods reportedPods) {
            return new Fabric8Informer(url, namespace, reportedPods, false);
        }
    },
    FABRIC8_WATCH_LIST("watch-list by WebSocket", "sendInitialEvents=true") {
        @Override
        Informer join(URI url, String namespace, ReportedPods reportedPods) {
            return new Fabric8Informer(url, namespace, reportedPods, true);
        }
    },
    JAVA("list of any revision, then a watch", "resourceVersion=0") {
        @Override
        Informer join(URI url, String namespace, ReportedPods reportedPods) {
            return new OfficialInformer(url, namespace, reportedPods);
        }
    },
    JAVA_SCRIPT("list, then a watch", "watch=true") {
        @Override
        Informer join(URI url, String namespace, ReportedPods reportedPods) {
            return new JavaScriptInformer(url, namespace, reportedPods);
        }

        @Override
        List<ExternalProgram> externalPrograms() {
            return List.of(ExternalProgram.NODE, ExternalProgram.NPM);
        }
    },
    BROWSER("list, then server-sent events", "text/event-stream") {
        @Override
        Informer join(URI url, String namespace, ReportedPods reportedPods) {
            return new EventSourcePage(url, PODS.collectionPath(namespace), reportedPods);
        }

        @Override
        List<ExternalProgram> externalPrograms() {
            return List.of(ExternalProgram.CHROMIUM);
        }
    };

    private final String mode;
    private final String sign;

    ObservedInformer(String mode, String sign) {
        this.mode = mode;
        this.sign = sign;
    }

    /** Starts it; it tells what it sees to the sight. */
    abstract Informer join(URI url, String namespace, ReportedPods reportedPods);

    /** What must be installed for it. */
    List<ExternalProgram> externalPrograms() {
        return List.of();
    }

    /** Whether all that it needs is installed. */
    boolean isHere() {
        return externalPrograms().stream().allMatch(ExternalProgram::isInstalled);
    }

    /** Skips the test, or lets it fail, if something that it needs is not installed. */
    void demand() {
        externalPrograms().forEach(ExternalProgram::demand);
    }

    /**
     * Whether it never learns of deletions while it was not watching, whoever serves it: after a
     * break fabric8 asks for all objects again, and keeps those that do not come.
     */
    boolean overlooksDeletions() {
        return this == FABRIC8_WATCH_LIST;
    }

    /** Whether it asks for what came after its last event, which may be worth a 410. */
    boolean resumes() {
        return this != FABRIC8_WATCH_LIST;
    }

    /** How it reads, for the table. */
    String mode() {
        return mode;
    }

    /** What stands in its requests if it reads so. */
    String sign() {
        return sign;
    }
}
