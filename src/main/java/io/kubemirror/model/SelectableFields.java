package io.kubemirror.model;

import module java.base;

import io.kubemirror.model.Scope.Extent;

/**
 * The fields that field selectors may name for one resource type (list-watch.md#field-selectors,
 * "Supported fields").
 *
 * <p>A selector with another field is rejected with the API server's error, even if the API server
 * supports the field: ignoring it would select too much. Custom resources have the fields that
 * their definition declares and those that are configured.
 *
 * @param type the resource type
 * @param extracted the fields whose values must be read from each object, for {@link ObjectShape}:
 *     all except {@code metadata.name} and {@code metadata.namespace}, which are in the key, and
 *     those that never have a value
 * @param labels the fields that selectors may name
 * @param problem why the fields that the definition declares are unknown, or empty
 */
public record SelectableFields(
        ResourceType type, List<SelectableField> extracted, Set<String> labels, String problem) {

    /** Copies the fields. */
    public SelectableFields {
        extracted = List.copyOf(extracted);
        labels = Set.copyOf(labels);
    }

    /**
     * Returns the fields of a type.
     *
     * @param extra additional fields; one whose label the type has already is ignored
     */
    public static SelectableFields of(ResourceType type, List<SelectableField> extra) {
        return of(type, DeclaredFields.NONE, extra, Extent.WHOLE);
    }

    /**
     * Returns the fields of a type whose objects are mirrored to the given extent. With metadata
     * only, the type has no fields but the name and the namespace.
     *
     * @param declared the fields that its definition declares
     * @param extra additional fields; one whose label the type has already is ignored
     * @param extent how much of each object is held
     */
    public static SelectableFields of(
            ResourceType type,
            DeclaredFields declared,
            List<SelectableField> extra,
            Extent extent) {
        Set<String> labels = new HashSet<>(metadata(type));
        if (extent == Extent.METADATA) {
            return new SelectableFields(type, List.of(), labels, "");
        }
        List<SelectableField> all = new ArrayList<>(BuiltInFields.of(type));
        all.addAll(declared.fields());
        all.addAll(extra);
        List<SelectableField> extracted = new ArrayList<>();
        for (SelectableField field : all) {
            if (labels.add(field.label()) && !field.sources().isEmpty()) {
                extracted.add(field);
            }
        }
        return new SelectableFields(type, extracted, labels, declared.problem());
    }

    private static Set<String> metadata(ResourceType type) {
        boolean namespace =
                type.builtIn() ? BuiltInFields.namespaceIsSelectable(type) : type.namespaced();
        return namespace
                ? Set.of(FieldSelector.FieldTerm.NAME, FieldSelector.FieldTerm.NAMESPACE)
                : Set.of(FieldSelector.FieldTerm.NAME);
    }

    /** Returns whether selectors may name the field. */
    public boolean supports(String field) {
        return labels.contains(field);
    }

    /**
     * Returns the API server's message about the first field of the selector, in byte order, that
     * is not supported; empty if all are (list-watch.md#fs-5).
     */
    public Optional<String> objection(FieldSelector selector) {
        return selector.fields().stream()
                .filter(field -> !supports(field))
                .findFirst()
                .map(this::objection);
    }

    private String objection(String field) {
        if (type.groupResource().equals("jobs.batch")) {
            return "field label " + GoString.quote(field) + " not supported for Job";
        }
        return type.builtIn() && BuiltInFields.of(type).isEmpty()
                ? GoString.quote(field)
                        + " is not a known field selector: only \"metadata.name\","
                        + " \"metadata.namespace\""
                : "field label not supported: " + field + remedy();
    }

    private String remedy() {
        return problem.isEmpty()
                ? ""
                : ("; kubemirror cannot read the definition of %s (%s): grant it get on"
                                + " customresourcedefinitions.apiextensions.k8s.io, or add the"
                                + " field to kubemirror.resources[].index-fields")
                        .formatted(type.groupResource(), problem);
    }

    /**
     * What the definition of a custom resource declares, above all the fields that selectors may
     * use.
     *
     * @param fields the selectable fields, possibly none
     * @param listKind the kind of lists, empty if it follows from that of the objects
     * @param problem why the definition could not be read, in one line; empty if it could, or if
     *     the type has none
     * @param schema what decides how the objects look at one revision, such as the version of the
     *     server and the generation of the definition; empty if nothing does
     */
    public record DeclaredFields(
            List<SelectableField> fields, String listKind, String problem, String schema) {

        /** No declared fields. The fields of built-in types are known without a declaration. */
        public static final DeclaredFields NONE = new DeclaredFields(List.of(), "", "", "");

        /** Copies the list. */
        public DeclaredFields {
            fields = List.copyOf(fields);
        }

        /** Creates what a definition declares whose objects look the same at one revision. */
        public DeclaredFields(List<SelectableField> fields, String listKind) {
            this(fields, listKind, "", "");
        }

        /** Returns the same fields with another schema. */
        public DeclaredFields by(String other) {
            return new DeclaredFields(fields, listKind, problem, other);
        }

        /** Returns the kind of lists of a type (list-watch.md#en-5). */
        public String listKind(ResourceType type) {
            return listKind.isEmpty() ? type.kind() + "List" : listKind;
        }
    }

    /**
     * The fields beside {@code metadata.*} that the API server supports in field selectors, for
     * each type that has any (list-watch.md#field-selectors, "Supported fields"). They are the same
     * in all versions of a type.
     */
    private static final class BuiltInFields {

        /**
         * One line for each type, and one entry for each of its fields: the label; after {@code =}
         * the paths of the value, if not the label itself; after {@code :} the fallback. The API
         * server accepts {@code status.podIPs} in selectors, but never gives it a value.
         */
        private static final String TABLE =
                """
                pods spec.nodeName spec.host=spec.nodeName spec.restartPolicy spec.schedulerName \
                  spec.serviceAccountName spec.hostNetwork:false status.phase status.podIP \
                  status.podIPs= status.nominatedNodeName
                events involvedObject.kind involvedObject.namespace involvedObject.name \
                  involvedObject.uid involvedObject.apiVersion involvedObject.resourceVersion \
                  involvedObject.fieldPath reason reportingComponent \
                  source=source.component,reportingComponent type
                events.events.k8s.io regarding.kind regarding.namespace regarding.name \
                  regarding.uid regarding.apiVersion regarding.resourceVersion \
                  regarding.fieldPath reason reportingController \
                  source=deprecatedSource.component,reportingController type
                nodes spec.unschedulable:false
                namespaces status.phase
                secrets type
                services spec.clusterIP spec.type
                replicationcontrollers status.replicas:0
                jobs.batch status.successful=status.succeeded:0
                certificatesigningrequests.certificates.k8s.io spec.signerName
                clustertrustbundles.certificates.k8s.io spec.signerName
                podcertificaterequests.certificates.k8s.io spec.signerName spec.podName \
                  spec.nodeName
                resourceslices.resource.k8s.io spec.nodeName spec.driver
                """;

        private static final Pattern ENTRY =
                Pattern.compile("(?<label>[^=:]+)(=(?<paths>[^:]*))?(:(?<fallback>.*))?");

        private static final Map<String, List<SelectableField>> FIELDS =
                TABLE.lines()
                        .map(line -> List.of(line.split(" +")))
                        .collect(
                                Collectors.toMap(
                                        List::getFirst,
                                        line ->
                                                line.stream()
                                                        .skip(1)
                                                        .map(BuiltInFields::field)
                                                        .toList()));

        private static final Set<String> WITHOUT_NAMESPACE =
                Set.of(
                        "nodes",
                        "namespaces",
                        "certificatesigningrequests.certificates.k8s.io",
                        "clustertrustbundles.certificates.k8s.io",
                        "podcertificaterequests.certificates.k8s.io",
                        "resourceslices.resource.k8s.io");

        private BuiltInFields() {}

        /** Returns the type's own fields, empty if it has none. */
        static List<SelectableField> of(ResourceType type) {
            return FIELDS.getOrDefault(type.groupResource(), List.of());
        }

        /**
         * Returns whether a selector may name {@code metadata.namespace}. For types without fields
         * of their own it may, even if they have cluster scope.
         */
        static boolean namespaceIsSelectable(ResourceType type) {
            return !WITHOUT_NAMESPACE.contains(type.groupResource());
        }

        private static SelectableField field(String text) {
            Matcher entry = ENTRY.matcher(text);
            if (!entry.matches()) {
                throw new IllegalArgumentException(text);
            }
            String label = entry.group("label");
            String paths = Objects.requireNonNullElse(entry.group("paths"), label);
            return new SelectableField(
                    label,
                    Stream.of(paths.split(","))
                            .filter(path -> !path.isEmpty())
                            .map(FieldPath::parse)
                            .toList(),
                    Objects.requireNonNullElse(entry.group("fallback"), ""));
        }
    }

    /**
     * A field that a field selector may name, and the paths of its value
     * (list-watch.md#field-selectors).
     *
     * <p>The reader of a {@link KubeObject} stores the value under the label in {@link
     * KubeObject#fields()}: a string as it is, a boolean or number as its JSON text. It tries the
     * sources in order; absent members, {@code null}, empty strings, objects, and arrays are no
     * value. If no source has a value, it stores the fallback, so that selectors need no special
     * case. An empty fallback may be left out, since an absent field counts as empty
     * (list-watch.md#fs-1).
     *
     * @param label the name in selectors
     * @param sources the paths of the value, the first that has one is used; none for a field that
     *     is always empty
     * @param fallback the value if no path has one
     */
    public record SelectableField(String label, List<FieldPath> sources, String fallback) {

        /** Copies the sources. */
        public SelectableField {
            sources = List.copyOf(sources);
        }

        /**
         * Creates the field whose label is its path, without a leading dot, and whose fallback is
         * empty.
         *
         * @throws IllegalArgumentException if the text is not a path
         */
        public static SelectableField at(String path) {
            FieldPath source = FieldPath.parse(path);
            return new SelectableField(source.toString(), List.of(source), "");
        }
    }
}
