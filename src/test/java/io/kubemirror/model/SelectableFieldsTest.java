package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SelectableFields.SelectableField;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectableFieldsTest {

    private static final ResourceType PODS = ModelSamples.namespaced("", "pods");
    private static final ResourceType WIDGETS = ModelSamples.namespaced("example.com", "widgets");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''                  | pods                       | spec.host spec.hostNetwork spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName status.nominatedNodeName status.phase status.podIP
                    ''                  | events                     | involvedObject.apiVersion involvedObject.fieldPath involvedObject.kind involvedObject.name involvedObject.namespace involvedObject.resourceVersion involvedObject.uid reason reportingComponent source type
                    events.k8s.io       | events                     | reason regarding.apiVersion regarding.fieldPath regarding.kind regarding.name regarding.namespace regarding.resourceVersion regarding.uid reportingController source type
                    ''                  | nodes                      | spec.unschedulable
                    ''                  | namespaces                 | status.phase
                    ''                  | secrets                    | type
                    ''                  | services                   | spec.clusterIP spec.type
                    ''                  | replicationcontrollers     | status.replicas
                    apps                | replicasets                | ''
                    batch               | jobs                       | status.successful
                    certificates.k8s.io | certificatesigningrequests | spec.signerName
                    certificates.k8s.io | clustertrustbundles        | spec.signerName
                    certificates.k8s.io | podcertificaterequests     | spec.nodeName spec.podName spec.signerName
                    resource.k8s.io     | resourceslices             | spec.driver spec.nodeName
                    ''                  | configmaps                 | ''
                    example.com         | pods                       | ''
                    """)
    void selectable_fields_of_built_in_types_match_the_api_server(
            String group, String plural, String labels) {
        SelectableFields fields =
                SelectableFields.of(ModelSamples.namespaced(group, plural), List.of());

        assertThat(fields.extracted().stream().map(SelectableField::label).sorted())
                .isEqualTo(labels.isEmpty() ? List.of() : List.of(labels.split(" ")));
    }

    @ParameterizedTest
    @CsvSource({
        "'', pods, true",
        "'', configmaps, true",
        "'', events, true",
        "'', nodes, false",
        "'', namespaces, false",
        "'', persistentvolumes, true",
        "certificates.k8s.io, certificatesigningrequests, false",
        "certificates.k8s.io, clustertrustbundles, false",
        "resource.k8s.io, resourceslices, false",
        "example.com, clusterwidgets, false",
        "example.com, widgets, true",
    })
    void namespace_is_selectable_for_the_same_types_as_on_the_api_server(
            String group, String plural, boolean selectable) {
        boolean namespaced = List.of("pods", "configmaps", "events", "widgets").contains(plural);
        ResourceType type =
                namespaced
                        ? ModelSamples.namespaced(group, plural)
                        : ModelSamples.clusterScoped(group, plural);
        SelectableFields fields = SelectableFields.of(type, List.of());

        assertThat(fields.supports("metadata.namespace")).isEqualTo(selectable);
        assertThat(fields.supports("metadata.name")).isTrue();
    }

    @Test
    void metadata_only_objects_support_only_name_and_namespace() {
        SelectableField field = SelectableField.at("spec.size");
        SelectableFields fields =
                SelectableFields.of(PODS, DeclaredFields.NONE, List.of(field), Extent.METADATA);

        assertThat(fields.supports("metadata.name")).isTrue();
        assertThat(fields.supports("metadata.namespace")).isTrue();
        assertThat(fields.supports("spec.nodeName")).isFalse();
        assertThat(fields.supports("spec.size")).isFalse();
        assertThat(fields.extracted()).isEmpty();
    }

    /** A field is read from the first of its sources that has a value. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''            | pods        | spec.nodeName      | spec.nodeName                                        | ''
                    ''            | pods        | spec.host          | spec.nodeName                                        | ''
                    ''            | pods        | spec.hostNetwork   | spec.hostNetwork                                     | false
                    ''            | nodes       | spec.unschedulable | spec.unschedulable                                   | false
                    ''            | replicationcontrollers | status.replicas | status.replicas                              | 0
                    batch         | jobs        | status.successful  | status.succeeded                                     | 0
                    ''            | events      | source             | source.component reportingComponent                  | ''
                    events.k8s.io | events      | source             | deprecatedSource.component reportingController       | ''
                    """)
    void sources_and_defaults_of_built_in_fields_match_the_api_server(
            String group, String plural, String label, String sources, String fallback) {
        ResourceType type = ModelSamples.namespaced(group, plural);
        assertThat(SelectableFields.of(type, List.of()).extracted())
                .contains(
                        new SelectableField(
                                label,
                                Stream.of(sources.split(" ")).map(FieldPath::parse).toList(),
                                fallback));
    }

    @Test
    void field_without_values_is_selectable_but_not_extracted() throws Rejection {
        SelectableFields fields = SelectableFields.of(PODS, List.of());

        assertThat(fields.objection(FieldSelectorParser.parse("status.podIPs="))).isEmpty();
        assertThat(fields.extracted())
                .extracting(SelectableField::label)
                .doesNotContain("status.podIPs");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    ``          | pods        | field label not supported: a"b
                    ``          | nodes       | field label not supported: a"b
                    example.com | widgets     | field label not supported: a"b
                    ``          | configmaps  | "a\\"b" is not a known field selector: only "metadata.name", "metadata.namespace"
                    apps        | deployments | "a\\"b" is not a known field selector: only "metadata.name", "metadata.namespace"
                    batch       | cronjobs    | "a\\"b" is not a known field selector: only "metadata.name", "metadata.namespace"
                    batch       | jobs        | field label "a\\"b" not supported for Job
                    """)
    void unknown_field_is_rejected_with_the_message_of_its_type(
            String group, String plural, String message) throws Rejection {
        SelectableFields fields =
                SelectableFields.of(ModelSamples.namespaced(group, plural), List.of());

        assertThat(fields.objection(FieldSelectorParser.parse("a\"b=1"))).contains(message);
    }

    @Test
    void error_names_the_first_unknown_field_in_byte_order() throws Rejection {
        SelectableFields fields = SelectableFields.of(PODS, List.of());

        assertThat(
                        fields.objection(
                                FieldSelectorParser.parse(
                                        "z=1,metadata.name=p,b!=2,status.phase=")))
                .contains("field label not supported: b");
    }

    @Test
    void configured_field_does_not_override_or_duplicate_built_in_fields() {
        SelectableField host =
                new SelectableField("spec.host", List.of(FieldPath.parse("spec.other")), "");
        SelectableField name = SelectableField.at("metadata.name");

        assertThat(SelectableFields.of(PODS, List.of(host, name)).extracted())
                .isEqualTo(SelectableFields.of(PODS, List.of()).extracted());
    }

    @Test
    void custom_resource_supports_declared_and_configured_fields() throws Exception {
        SelectableField size = SelectableField.at(".spec.size");
        SelectableFields fields =
                SelectableFields.of(
                        WIDGETS,
                        new DeclaredFields(List.of(size), ""),
                        List.of(SelectableField.at("spec.app"), size),
                        Extent.WHOLE);

        assertThat(fields.extracted())
                .extracting(SelectableField::label)
                .containsExactly("spec.size", "spec.app");
        assertThat(fields.objection(FieldSelectorParser.parse("spec.size=3,spec.app=a"))).isEmpty();
        assertThat(fields.objection(FieldSelectorParser.parse("spec.colour=3")))
                .contains("field label not supported: spec.colour");
    }

    @Test
    void unreadable_custom_resource_definition_error_suggests_remedies() throws Exception {
        SelectableFields fields =
                SelectableFields.of(
                        WIDGETS,
                        new DeclaredFields(List.of(), "", "HTTP 403", ""),
                        List.of(),
                        Extent.WHOLE);

        assertThat(fields.objection(FieldSelectorParser.parse("spec.size=3")).orElseThrow())
                .startsWith("field label not supported: spec.size; ")
                .contains("(HTTP 403)", "customresourcedefinitions", "index-fields");
    }
}
