package io.kubemirror.parity;

import static io.kubemirror.parity.CaseSection.getting;

import java.util.List;

/** Selectors (list-watch.md#label-selectors). */
final class SelectorCases {

    private static final String LABELS = "/api/v1/namespaces/l/configmaps?labelSelector=";
    private static final String LONG = "x".repeat(64);
    private static final String LONGEST = "x".repeat(63);

    private SelectorCases() {}

    static List<CaseSection> sections() {
        return List.of(meanings(), mistakes(), syntax(), fields(), fieldMistakes(), fieldTypes());
    }

    private static CaseSection labels(CaseSection section, String row, String... selectors) {
        for (String selector : selectors) {
            section.get(row, LABELS + selector);
        }
        return section;
    }

    private static CaseSection meanings() {
        CaseSection section = new CaseSection("Label selectors");
        labels(section, "LS-1", "app%3Dv", "app%3D%3Dv", "app=v", "app%3Dnone");
        labels(section, "LS-1", "example.com/role%3Ddb", "example.com%2Frole");
        labels(section, "LS-2", "app%21%3Dv", "app!=v", "app+notin+(v,w)", "app+notin+(v)");
        labels(section, "LS-3", "app+in+(v,w)", "app+in+(v)", "app%20in%20%28v%2Cw%29");
        labels(section, "LS-3", "app+in(v,w)", "app%09in%0A(%0Dv+,+w+)");
        labels(section, "LS-4", "app", "!app", "%21app", "!+app", "+app+");
        labels(section, "LS-5", "n%3E5", "n%3C7", "n>4,n<6", "n%3Ex", "n%3E", "n%3E-1");
        labels(section, "LS-5", "n%3E9223372036854775807", "n%3E9223372036854775808");
        labels(section, "LS-6", "app%3D", "app%3D%3D", "app+in+()", "app+in+(,)", "app+in+(v,)");
        labels(section, "LS-6", "app!%3D", "app+notin+()", "app%3D,n");
        labels(section, "LS-7", "app%3Dv,n%3D5", "app,app%3Dv,app!%3Dw", "n,!tier");
        labels(section, "LS-8", "app%3Din", "in", "in%3Din", "notin", "notin%3Dv", "in+in+(in)");
        return labels(section, "LS-12", "", "+", "%09");
    }

    private static CaseSection mistakes() {
        CaseSection section = new CaseSection("Mistakes in label selectors");
        labels(section, "LS-9", "!a%3Db", "a%3Db%3Dc", "a%3Dv!", "a,,b", "a,", ",a", "(a)", "%3Db");
        labels(section, "LS-9", ",", "a)", "a%3Db)", "!a,!%3Db");
        labels(section, "LS-9a", "a+in+b", "a+in+(b", "a+in+(b+c)", "a+b", "a!b", "!", "!!a");
        labels(
                section,
                "LS-9a",
                "a%3D%3D%3Db",
                "n%3E%3D5",
                "a%3D(b)",
                "a+in",
                "a+notin+b",
                "a+in+b");
        labels(section, "LS-9a", "a+in+((b))", "a+in+(b))", "a!!%3Db", "a+%3D+in+(b)", "a!");
        return section;
    }

    private static CaseSection syntax() {
        CaseSection section = new CaseSection("Syntax of keys and values of labels");
        labels(section, "LS-10", LONGEST, LONG, "x".repeat(253) + "/a", "x".repeat(254) + "/a");
        labels(
                section,
                "LS-10",
                "%2Fa",
                "a%2F",
                "a%2Fb%2Fc",
                "-a",
                "a-",
                "a%25b",
                "A_b.c",
                "X%2Fa");
        labels(section, "LS-10", "%C3%A9", "a%22b", "%3Cb%3E%26", "a%40b", "a%5Cb", "%00");
        labels(section, "LS-11", "a%3D" + LONGEST, "a%3D" + LONG, "a%3D-b", "a%3D%22b%22");
        labels(section, "LS-11", "a%3Db%2Fc", "a+in+(b,c%2Fd)", "a!%3D_", "a%3D%C3%A9", "a%3D%26");
        labels(section, "LS-11", "a+notin+(b,-)", "a%3D'b'", "a%3Db%0Ac", "a%3D%00", "a%3D%3Cb");
        return section;
    }

    private static CaseSection on(
            CaseSection section, String row, String collection, String... selectors) {
        for (String selector : selectors) {
            section.get(row, collection + "?fieldSelector=" + selector);
        }
        return section;
    }

    private static CaseSection fields() {
        String pods = "/api/v1/pods";
        String inA = "/api/v1/namespaces/a/pods";
        CaseSection section = new CaseSection("Field selectors");
        on(
                section,
                "FS-1",
                pods,
                "metadata.name%3Dx",
                "metadata.name%3D%3Dx",
                "metadata.name!%3Dx");
        on(section, "FS-1", pods, "metadata.name=x", "spec.nodeName%3D", "spec.nodeName!%3Dn1");
        on(
                section,
                "FS-1",
                pods,
                "metadata.name%3Dx,spec.nodeName%3Dn1",
                "metadata.name!=x,metadata.name!=y");
        on(
                section,
                "FS-1",
                pods,
                ",metadata.name%3Dx,",
                "",
                ",",
                "metadata.name%3Dx,metadata.name%3Dy");
        on(section, "FS-7", pods, "metadata.namespace%3Da", "metadata.namespace!%3Da");
        on(section, "FS-7", pods, "metadata.namespace%3Da&limit=1", "metadata.namespace%3D");
        on(section, "FS-7", pods, "metadata.namespace%3Dnowhere");
        on(section, "FS-7", inA, "metadata.namespace%3Da", "metadata.namespace%3Da-b");
        on(section, "FS-8", inA, "metadata.name%3Dx", "metadata.name%3Dnone", "metadata.name%3D..");
        on(section, "FS-8", inA, "metadata.name%3Da/b", "metadata.name%3Dx&limit=1");
        on(section, "FS-8", inA, "metadata.name%3Dx&limit=1&resourceVersion={now}");
        on(section, "FS-8", inA, "metadata.name%3Dx&limit=1&resourceVersion={a_x}");
        on(section, "FS-8", inA, "metadata.name%3Dx&resourceVersion=0");
        on(section, "FS-8", inA, "metadata.name%3Dx&labelSelector=app%3Dw");
        on(
                section,
                "FS-8",
                pods,
                "metadata.name%3Dx,metadata.namespace%3Da&resourceVersion={a_x}&limit=1");
        return section;
    }

    private static CaseSection fieldMistakes() {
        String pods = "/api/v1/pods";
        CaseSection section = new CaseSection("Mistakes in field selectors");
        on(section, "FS-2", pods, "oops", "metadata.name%3Dx,oops", "metadata.name>x", "!a");
        on(section, "FS-3", pods, "metadata.name%3D%3D%3Dx", "metadata.name%3Dx%3Dy");
        on(section, "FS-3", pods, "metadata.name%3Dx%5Cy", "metadata.name%3Dx%5C");
        on(section, "FS-3", pods, "metadata.name%3Dx%5C,y", "metadata.name%3Dx%5C%5C%5C%3D");
        on(
                section,
                "FS-4",
                pods,
                "metadata.name+in+(x)",
                "+metadata.name%3Dx",
                "metadata.name%3D+x");
        on(section, "FS-4", pods, "metadata.name+%3Dx", "metadata.name%3Dx+");
        on(section, "FS-5", pods, "spec.colour%3Dblue", "zebra%3D1,aardvark%3D2", "%3Dx");
        on(section, "FS-5", pods, "metadata.labels.app%3Dv", "metadata.name%3Dx,%3Cb%3E%3Dy");
        on(section, "FS-5", "/api/v1/nodes", "metadata.namespace%3Da", "spec.podCIDR%3D1");
        on(section, "FS-5", "/apis/example.com/v1/widgets", "spec.colour%3Dblue", "x%3D1");
        on(section, "FS-5", "/apis/example.com/v1/planets", "metadata.namespace%3Da", "x%3D1");
        unknown(section, "/api/v1/configmaps", "data%3Dx", "data");
        unknown(section, "/api/v1/configmaps", "spec.x!%3D1", "spec.x");
        unknown(section, "/apis/apps/v1/deployments", "spec.replicas%3D3", "spec.replicas");
        unknown(
                section,
                "/apis/coordination.k8s.io/v1/leases",
                "spec.x%3D1,metadata.name%3Da",
                "spec.x");
        return section.get(
                "FS-5", "/api/v1/pods?watch=1&timeoutSeconds=2&fieldSelector=spec.colour%3Dblue");
    }

    private static void unknown(
            CaseSection section, String collection, String selector, String field) {
        section.add(
                getting("FS-6", collection + "?fieldSelector=" + selector)
                        .but(
                                IntendedDifferences.fullServer(
                                        ("\\\"%s\\\" is not a known field selector: only"
                                                        + " \\\"metadata.name\\\","
                                                        + " \\\"metadata.namespace\\\"")
                                                .formatted(field))));
    }

    private static void full(CaseSection section, String row, String target, String other) {
        section.add(
                getting(row, target).but(IntendedDifferences.fullServer(RawRequest.get(other))));
    }

    private static CaseSection fieldTypes() {
        CaseSection section = new CaseSection("Selectable fields");
        String pods = "/api/v1/pods";
        String fields = pods + "?fieldSelector=";
        on(section, "FS-Pod", pods, "spec.nodeName%3Dn1", "spec.restartPolicy%3DNever");
        on(section, "FS-Pod", pods, "spec.restartPolicy!%3DNever", "spec.schedulerName%3Down");
        on(section, "FS-Pod", pods, "spec.serviceAccountName%3Drobot", "spec.hostNetwork%3Dtrue");
        on(section, "FS-Pod", pods, "spec.hostNetwork%3Dfalse", "spec.hostNetwork%3D");
        on(
                section,
                "FS-Pod",
                pods,
                "status.phase%3DRunning",
                "status.phase!%3DRunning,status.phase!%3DFailed");
        on(section, "FS-Pod", pods, "status.podIP%3D10.1.2.3");
        on(section, "FS-Pod", pods, "status.nominatedNodeName%3Dn2");
        full(section, "FS-Pod", fields + "spec.host%3Dn2", fields + "spec.nodeName%3Dn2");
        full(section, "FS-Pod", fields + "status.podIPs%3D10.1.2.3", pods + "?labelSelector=none");
        full(section, "FS-Pod", fields + "status.podIPs%3D", pods);
        String events = "/api/v1/events";
        on(
                section,
                "FS-Event",
                events,
                "involvedObject.kind%3DPod",
                "involvedObject.namespace%3Dt");
        on(section, "FS-Event", events, "involvedObject.name%3Dp,involvedObject.uid%3Du-1");
        on(
                section,
                "FS-Event",
                events,
                "involvedObject.apiVersion%3Dv1",
                "involvedObject.resourceVersion%3D7");
        on(
                section,
                "FS-Event",
                events,
                "involvedObject.fieldPath%3Dspec.containers{main}"
                        .replace("{", "%7B")
                        .replace("}", "%7D"));
        on(section, "FS-Event", events, "reason%3DStarted", "reportingComponent%3Dkubelet");
        on(
                section,
                "FS-Event",
                events,
                "source%3Dscheduler",
                "source%3Dkubelet",
                "type%3DNormal",
                "type!%3DNormal");
        on(
                section,
                "FS-Node",
                "/api/v1/nodes",
                "spec.unschedulable%3Dtrue",
                "spec.unschedulable%3Dfalse");
        on(section, "FS-Node", "/api/v1/nodes", "spec.unschedulable%3D", "metadata.name%3Dn1");
        on(
                section,
                "FS-Namespace",
                "/api/v1/namespaces",
                "status.phase%3DActive",
                "metadata.name%3Da");
        on(section, "FS-Namespace", "/api/v1/namespaces", "metadata.namespace%3Da");
        section.add(
                getting("FS-Namespace", "/api/v1/namespaces?fieldSelector=name%3Da")
                        .but(IntendedDifferences.fullServer("field label not supported: name")));
        on(section, "FS-Secret", "/api/v1/secrets", "type%3Dexample.com/own", "type!%3DOpaque");
        on(
                section,
                "FS-Service",
                "/api/v1/services",
                "spec.clusterIP%3D10.0.0.1",
                "spec.type%3DNodePort");
        String sets = "/apis/apps/v1/replicasets";
        full(section, "FS-ReplicaSet", sets + "?fieldSelector=status.replicas%3D2", sets);
        full(
                section,
                "FS-ReplicaSet",
                sets + "?fieldSelector=status.replicas%3D0",
                sets + "?labelSelector=none");
        String jobs = "/apis/batch/v1/jobs";
        full(section, "FS-Job", jobs + "?fieldSelector=status.successful%3D0", jobs);
        section.add(
                getting("FS-Job", jobs + "?fieldSelector=status.failed%3D1")
                        .but(
                                IntendedDifferences.fullServer(
                                        "field label \\\"status.failed\\\" not supported for"
                                                + " batchv1.Job")));
        on(
                section,
                "FS-CR",
                "/apis/example.com/v1/widgets",
                "spec.size%3D1",
                "spec.size!%3D1",
                "spec.size%3D");
        return section;
    }
}
