package io.kubemirror.clients;

import static io.kubemirror.testground.Types.PODS;

import java.net.URI;
import java.util.List;

/** An informer of the company that lives through a story together. */
enum Member {
    FABRIC8_WEB_SOCKET("list, then a watch, WebSocket asked first", "pgrade: websocket") {
        @Override
        Informer join(URI url, String namespace, Sight sight) {
            return new Fabric8Informer(url, namespace, sight, false);
        }
    },
    FABRIC8_WATCH_LIST("watch-list, WebSocket asked first", "sendInitialEvents=true") {
        @Override
        Informer join(URI url, String namespace, Sight sight) {
            return new Fabric8Informer(url, namespace, sight, true);
        }
    },
    JAVA("list of any revision, then a watch", "resourceVersion=0") {
        @Override
        Informer join(URI url, String namespace, Sight sight) {
            return new OfficialInformer(url, namespace, sight);
        }
    },
    JAVA_SCRIPT("list, then a watch", "watch=true") {
        @Override
        Informer join(URI url, String namespace, Sight sight) {
            return new JavaScriptInformer(url, namespace, sight);
        }

        @Override
        List<Program> programs() {
            return List.of(Program.NODE, Program.NPM);
        }
    },
    BROWSER("list, then server-sent events", "text/event-stream") {
        @Override
        Informer join(URI url, String namespace, Sight sight) {
            return new Browser(url, PODS.collectionPath(namespace), sight);
        }

        @Override
        List<Program> programs() {
            return List.of(Program.CHROMIUM);
        }
    };

    private final String mode;
    private final String sign;

    Member(String mode, String sign) {
        this.mode = mode;
        this.sign = sign;
    }

    /** Starts it; it tells what it sees to the sight. */
    abstract Informer join(URI url, String namespace, Sight sight);

    /** What must be installed for it. */
    List<Program> programs() {
        return List.of();
    }

    /** Whether all that it needs is installed. */
    boolean isHere() {
        return programs().stream().allMatch(Program::isInstalled);
    }

    /** Skips the test, or lets it fail, if something that it needs is not installed. */
    void demand() {
        programs().forEach(Program::demand);
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
