package io.kubemirror.clients;

import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import module java.base;

/** The informers that run through the scenario. */
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

    /** Starts the informer, which reports its events. */
    abstract Informer join(URI url, String namespace, ReportedPods reportedPods);

    /** Returns the programs that the informer needs. */
    List<ExternalProgram> externalPrograms() {
        return List.of();
    }

    /** Whether all programs that it needs are installed. */
    boolean isHere() {
        return externalPrograms().stream().allMatch(ExternalProgram::isInstalled);
    }

    /** Skips or fails the test if a program that it needs is not installed. */
    void demand() {
        externalPrograms().forEach(ExternalProgram::demand);
    }

    /**
     * Whether it misses deletions while it is not watching, with any server: after a broken
     * connection fabric8 requests all objects again and keeps those that do not arrive.
     */
    boolean overlooksDeletions() {
        return this == FABRIC8_WATCH_LIST;
    }

    /** Whether it resumes after its last event, which may lead to a 410. */
    boolean resumes() {
        return this != FABRIC8_WATCH_LIST;
    }

    /** Returns how it reads, for the table. */
    String mode() {
        return mode;
    }

    /** Returns a part of its requests that shows that it reads this way. */
    String sign() {
        return sign;
    }
}
